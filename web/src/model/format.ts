/** Numbers for people. */

/** So many significant digits, with thin groups; never in powers of ten. */
export function number(value: number, digits = 5): string {
  if (!Number.isFinite(value)) return "–";
  const whole = value === 0 ? 1 : Math.floor(Math.log10(Math.abs(value))) + 1;
  const places = Math.min(12, Math.max(0, digits - whole));
  return value.toLocaleString("en-GB", {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  });
}

export function count(value: number): string {
  return Math.round(value).toLocaleString("en-GB");
}

/** As short as it can be said. */
export function plain(value: number): string {
  return Number(value.toPrecision(4)).toLocaleString("en-GB", { maximumFractionDigits: 6 });
}

/** A size of files: "50 MB". */
export function bytes(value: number): string {
  const [size, unit] = value < 1e6 ? [value / 1e3, "kB"] : [value / 1e6, "MB"];
  return `${plain(Number(size.toPrecision(3)))} ${unit}`;
}

export function seconds(value: number): string {
  if (value < 100) return `${value.toFixed(1)} s`;
  const whole = Math.round(value);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** A change as a share, with its sign: "−3.2 %". */
export function change(from: number, to: number): string {
  if (from === 0) return "–";
  const share = (to / from - 1) * 100;
  const text = Math.abs(share).toFixed(Math.abs(share) < 9.95 ? 2 : 1);
  if (Number(text) === 0) return "±0 %";
  return `${share < 0 ? "−" : "+"}${text} %`;
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** The multiples of `step` from `low` to `high`; few, however the numbers round. */
export function multiples(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9);
  const most = Math.min(200, Math.floor(high / step + 1e-9) - first + 1);
  return Array.from({ length: Math.max(0, most) || 0 }, (_, i) => (first + i) * step);
}

/** Round steps (1, 2, 5 times a power of ten) that cut `span` into at most `most` parts. */
export function niceStep(span: number, most: number): number {
  if (!(span > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(span / most));
  for (const factor of [1, 2, 5, 10]) {
    if ((power * factor * most) / span >= 1 - 1e-9) return power * factor;
  }
  return power * 10;
}
