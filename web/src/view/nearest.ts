/** Which stop or which leg is under the pointer: a uniform grid over the plane. */

export interface Segments {
  x0: Float64Array;
  y0: Float64Array;
  x1: Float64Array;
  y1: Float64Array;
}

const MOST_CELLS_PER_LEG = 400;

export class Nearest {
  private readonly cells = new Map<number, number[]>();
  private readonly left: number;
  private readonly bottom: number;
  private readonly size: number;
  private readonly columns: number;

  /** A point is a segment whose ends are the same. */
  constructor(private readonly segments: Segments) {
    const { x0, y0, x1, y1 } = segments;
    let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < x0.length; i++) {
      left = Math.min(left, x0[i]!, x1[i]!);
      right = Math.max(right, x0[i]!, x1[i]!);
      bottom = Math.min(bottom, y0[i]!, y1[i]!);
      top = Math.max(top, y0[i]!, y1[i]!);
    }
    const side = Math.max(8, Math.ceil(Math.sqrt(x0.length)));
    this.left = left;
    this.bottom = bottom;
    this.size = Math.max(right - left, top - bottom, 1e-12) / side;
    this.columns = side + 3;
    for (let i = 0; i < x0.length; i++) this.add(i);
  }

  private add(i: number): void {
    const { x0, y0, x1, y1 } = this.segments;
    const length = Math.hypot(x1[i]! - x0[i]!, y1[i]! - y0[i]!);
    const steps = Math.min(Math.ceil((length / this.size) * 2), MOST_CELLS_PER_LEG);
    let before = -1;
    for (let k = 0; k <= steps; k++) {
      const share = steps === 0 ? 0 : k / steps;
      const key = this.key(
        x0[i]! + share * (x1[i]! - x0[i]!),
        y0[i]! + share * (y1[i]! - y0[i]!),
      );
      if (key === before) continue;
      before = key;
      const cell = this.cells.get(key);
      if (cell) cell.push(i);
      else this.cells.set(key, [i]);
    }
  }

  private key(x: number, y: number): number {
    const column = Math.floor((x - this.left) / this.size) + 1;
    const row = Math.floor((y - this.bottom) / this.size) + 1;
    return row * this.columns + column;
  }

  /** The nearest segment at most `reach` away, or -1. */
  find(x: number, y: number, reach: number): number {
    const rings = Math.min(Math.ceil(reach / this.size), 12);
    let best = -1;
    let distance = reach;
    for (let row = -rings; row <= rings; row++) {
      for (let column = -rings; column <= rings; column++) {
        const key = this.key(x + column * this.size, y + row * this.size);
        for (const i of this.cells.get(key) ?? []) {
          const here = this.distance(i, x, y);
          if (here < distance || (here === distance && best < 0)) [best, distance] = [i, here];
        }
      }
    }
    return best;
  }

  private distance(i: number, x: number, y: number): number {
    const { x0, y0, x1, y1 } = this.segments;
    const [dx, dy] = [x1[i]! - x0[i]!, y1[i]! - y0[i]!];
    const square = dx * dx + dy * dy;
    const along = square === 0 ? 0 : ((x - x0[i]!) * dx + (y - y0[i]!) * dy) / square;
    const share = Math.min(1, Math.max(0, along));
    return Math.hypot(x - x0[i]! - share * dx, y - y0[i]! - share * dy);
  }
}
