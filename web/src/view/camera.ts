/** Which part of the plane is seen: its middle and how many pixels one unit has; y points up. */

export interface Box {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

export interface Frame {
  x: number;
  y: number;
  scale: number;
}

const MOST_ZOOM = 400;

export class Camera {
  frame: Frame = { x: 0, y: 0, scale: 1 };
  /** Whether all of it is shown, so that it follows the size of the window. */
  fitted = true;
  private fitScale = 1;
  private readonly listeners = new Set<() => void>();

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  fit(box: Box, width: number, height: number, margin: number): void {
    const scaleX = (width - 2 * margin) / Math.max(box.right - box.left, 1e-12);
    const scaleY = (height - 2 * margin) / Math.max(box.top - box.bottom, 1e-12);
    const scale = Math.max(Math.min(scaleX, scaleY), 1e-12);
    this.fitScale = Math.min(scale, 1e12);
    this.frame = {
      x: (box.left + box.right) / 2,
      y: (box.bottom + box.top) / 2,
      scale: this.fitScale,
    };
    this.fitted = true;
    this.tell();
  }

  pan(dx: number, dy: number): void {
    const { x, y, scale } = this.frame;
    this.frame = { x: x - dx / scale, y: y + dy / scale, scale };
    this.fitted = false;
    this.tell();
  }

  /** Zoom so that the point under (px, py), counted from the middle of the view, stays. */
  zoom(factor: number, px: number, py: number): void {
    const { x, y, scale } = this.frame;
    const least = this.fitScale * 0.5;
    const next = Math.min(Math.max(scale * factor, least), this.fitScale * MOST_ZOOM);
    this.frame = {
      x: x + px * (1 / scale - 1 / next),
      y: y - py * (1 / scale - 1 / next),
      scale: next,
    };
    this.fitted = false;
    this.tell();
  }

  /** See what another camera sees. */
  take(other: Camera): void {
    this.frame = other.frame;
    this.fitted = other.fitted;
    this.tell();
  }

  /** How much closer than all of it. */
  get magnification(): number {
    return this.frame.scale / this.fitScale;
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
