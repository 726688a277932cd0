/** A colour for each vehicle, told apart by most colour-blind eyes, strong on either ground. */

export type Theme = "light" | "dark";

// After Okabe & Ito (2008), yellow left out on white, and three more; the dark row is the same
// hues lifted to be seen on a dark ground.
const FEW: Record<Theme, string[]> = {
  light: [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b97f00",
    "#56b4e9", "#7f3c8d", "#8c564b", "#4b6a1d", "#53565a",
  ],
  dark: [
    "#4aa8e8", "#ff8b45", "#2fcb9a", "#eba0c8", "#f0b93a",
    "#9bd8fb", "#c195d8", "#cfa497", "#a6c765", "#b4bcc4",
  ],
}; // prettier-ignore

const GOLDEN = 0.618033988749895;
const LUMINANCE: Record<Theme, number[]> = {
  light: [0.2, 0.34, 0.27],
  dark: [0.4, 0.6, 0.5],
};

type Rgb = [number, number, number];

export function palette(vehicles: number, theme: Theme): string[] {
  const few = FEW[theme];
  if (vehicles <= few.length) return few.slice(0, vehicles);
  return Array.from({ length: vehicles }, (_, i) =>
    css(even((0.55 + i * GOLDEN) % 1, LUMINANCE[theme][i % 3]!)),
  );
}

/** The same colour drawn towards another, for every second trip. */
export function mix(colour: string, towards: string, share: number): string {
  const [a, b] = [rgb(colour), rgb(towards)];
  return css([0, 1, 2].map((i) => a[i]! * (1 - share) + b[i]! * share) as Rgb);
}

export function withAlpha(colour: string, alpha: number): string {
  const [red, green, blue] = rgb(colour).map((part) => Math.round(part * 255));
  return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}

/** A strong colour as bright as the others, so that no yellow fades on white. */
function even(hue: number, luminance: number): Rgb {
  let [low, high] = [0, 1];
  let colour: Rgb = [0, 0, 0];
  for (let i = 0; i < 14; i++) {
    const lightness = (low + high) / 2;
    colour = fromHsl(hue, 0.72, lightness);
    const [red, green, blue] = colour;
    const dark = 0.2126 * red ** 2.2 + 0.7152 * green ** 2.2 + 0.0722 * blue ** 2.2 < luminance;
    [low, high] = dark ? [lightness, high] : [low, lightness];
  }
  return colour;
}

function fromHsl(hue: number, saturation: number, lightness: number): Rgb {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (n: number) => {
    const k = (n + hue * 12) % 12;
    return lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return [channel(0), channel(8), channel(4)];
}

function rgb(colour: string): Rgb {
  const value = parseInt(colour.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

function css(colour: Rgb): string {
  return "#" + colour.map((part) => Math.round(part * 255).toString(16).padStart(2, "0")).join("");
}
