/** A canvas that fills its box, sharp on every screen. */

export type Context = CanvasRenderingContext2D;

export class Surface {
  readonly canvas: HTMLCanvasElement;
  readonly context: Context;
  width = 0;
  height = 0;
  ratio = 1;

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d")!;
  }

  /** Take a size in CSS pixels; true when it changed. */
  resize(width: number, height: number): boolean {
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    if (width === this.width && height === this.height && ratio === this.ratio) return false;
    [this.width, this.height, this.ratio] = [width, height, ratio];
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    return true;
  }

  /** New for paper, where browsers may print canvases point by point. */
  renew({ width, height }: Size): Context {
    [this.width, this.height, this.ratio] = [width, height, PAPER_RATIO];
    this.canvas.width = Math.round(width * PAPER_RATIO);
    this.canvas.height = Math.round(height * PAPER_RATIO);
    this.context.setTransform(PAPER_RATIO, 0, 0, PAPER_RATIO, 0, 0);
    return this.context;
  }

  /** Empty, with one unit per CSS pixel. */
  clear(): Context {
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    return this.context;
  }
}

/** How many points a pixel has on paper. */
const PAPER_RATIO = 3;

export interface Size {
  width: number;
  height: number;
}

export function newSurface(): Surface {
  return new Surface(document.createElement("canvas"));
}

/** Call `draw` once before the next frame, however often it is asked for. */
export function oncePerFrame(draw: () => void): () => void {
  const act = () => {
    if (waiting.delete(act)) draw();
  };
  return () => {
    if (waiting.has(act)) return;
    waiting.add(act);
    requestAnimationFrame(act);
  };
}

const waiting = new Set<() => void>();
const MOST_DRAWINGS = 1000;

/** Draw at once what waits for the next frame, and what that leads to: paper does not wait. */
export function drawNow(): void {
  let left = MOST_DRAWINGS;
  for (const act of waiting) {
    if (left-- === 0) return;
    act();
  }
}

export const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
