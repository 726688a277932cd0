/** Map tiles under routes on the earth, when the service names an address; never otherwise. */

import { fromPlane, toPlane } from "../model/instance";
import type { Frame } from "./camera";
import type { Context } from "./surface";

const SIZE = 256;
const MOST_ZOOM = 19;
const MOST_KEPT = 256;
const MOST_SHOWN = 80;

export class Tiles {
  private readonly kept = new Map<string, HTMLImageElement>();

  constructor(
    private readonly address: string,
    private readonly loaded: () => void,
  ) {}

  draw(
    context: Context,
    frame: Frame,
    width: number,
    height: number,
    origin: readonly [number, number],
  ): void {
    const corner = (px: number, py: number) =>
      fromPlane(frame.x + (px - width / 2) / frame.scale, frame.y - (py - height / 2) / frame.scale, origin);
    const [west, north] = corner(0, 0);
    const [east, south] = corner(width, height);
    const span = Math.max(east - west, 1e-9);
    const level = Math.log2((360 / span) * (width / SIZE));
    const zoom = Math.max(0, Math.min(MOST_ZOOM, Math.round(level)));
    const count = 2 ** zoom;
    const [left, right] = [west, east].map((lon) => Math.floor(((lon + 180) / 360) * count));
    const [top, bottom] = [north, south].map((lat) => Math.floor(row(lat) * count));
    if ((right! - left! + 1) * (bottom! - top! + 1) > MOST_SHOWN) return;
    for (let y = Math.max(0, top!); y <= Math.min(count - 1, bottom!); y++) {
      for (let x = left!; x <= right!; x++) {
        const image = this.image(zoom, ((x % count) + count) % count, y);
        if (!image) continue;
        const place = (column: number, line: number) =>
          toPlane({ lon: (column / count) * 360 - 180, lat: latitude(line / count) }, origin);
        const [x0, y0] = place(x, y);
        const [x1, y1] = place(x + 1, y + 1);
        context.drawImage(
          image,
          (x0 - frame.x) * frame.scale + width / 2,
          (frame.y - y0) * frame.scale + height / 2,
          (x1 - x0) * frame.scale + 0.5,
          (y0 - y1) * frame.scale + 0.5,
        );
      }
    }
  }

  private image(z: number, x: number, y: number): HTMLImageElement | null {
    const key = `${z}/${x}/${y}`;
    const kept = this.kept.get(key);
    if (kept) return kept.complete && kept.naturalWidth > 0 ? kept : null;
    const image = new Image();
    image.crossOrigin = "anonymous"; // so that the picture can still be downloaded
    image.onload = this.loaded;
    image.src = this.address
      .replace("{z}", String(z))
      .replace("{x}", String(x))
      .replace("{y}", String(y));
    this.kept.set(key, image);
    if (this.kept.size > MOST_KEPT) this.kept.delete(this.kept.keys().next().value!);
    return null;
  }
}

/** How far down the square Mercator map a latitude lies, 0 to 1. */
function row(latitude: number): number {
  const angle = (Math.max(-85, Math.min(85, latitude)) * Math.PI) / 180;
  return (1 - Math.asinh(Math.tan(angle)) / Math.PI) / 2;
}

function latitude(row: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * row))) * 180) / Math.PI;
}
