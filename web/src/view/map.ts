/** The map: pan, zoom, follow a vehicle. Routes are drawn once per change, not once per frame. */

import { withAlpha } from "../model/palette";
import { Camera, type Frame } from "./camera";
import { boundsOf, drawFollowed, drawScene, Projection, type Scene } from "./mapDrawing";
import { Nearest, type Segments } from "./nearest";
import { newSurface, oncePerFrame, Surface, type Context, type Size } from "./surface";

export interface Pointed {
  vehicle: number;
  /** A task, or -1 on a leg between tasks. */
  task: number;
}

export interface MapEvents {
  point: (pointed: Pointed | null, x: number, y: number) => void;
  pin: (vehicle: number) => void;
}

/** A full drawing slower than this is only moved while one pans and zooms, and redrawn after. */
const SLOW_MS = 7;
const SETTLE_MS = 90;
const SETTLE_COSTS = 4;
const MARGIN = 28;
const POINT_REACH = 11;
const LEG_REACH = 6;

interface Index {
  stops: Nearest;
  legs: Nearest;
  ofStops: Pointed[];
  ofLegs: Pointed[];
}

export class MapView {
  private scene: Scene | null = null;
  private followed = -1;
  private readonly base: Surface;
  private readonly top: Surface;
  private readonly layer = newSurface();
  private layerFrame: Frame | null = null;
  private layerCost = 0;
  private settle = 0;
  private index: Index | null = null;
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private dragged = false;
  /** While the page is printed: how large it is there, and was on the screen. */
  private paper: { size: Size; screen: Size } | null = null;
  private readonly askDraw = oncePerFrame(() => this.draw());

  constructor(
    readonly host: HTMLElement,
    readonly camera: Camera,
    private readonly events: MapEvents,
  ) {
    const canvases = [document.createElement("canvas"), document.createElement("canvas")];
    host.replaceChildren(...canvases);
    this.base = new Surface(canvases[0]!);
    this.top = new Surface(canvases[1]!);
    new ResizeObserver(() => this.measure()).observe(host);
    camera.onChange(() => this.moved());
    this.listen();
  }

  /** What the last full drawing took, in milliseconds. */
  get cost(): number {
    return this.layerCost;
  }

  show(scene: Scene | null): void {
    const fresh = scene?.instance !== this.scene?.instance;
    this.scene = scene;
    this.index = null;
    this.layerFrame = null;
    if (fresh && scene) this.fit();
    this.askDraw();
  }

  follow(vehicle: number): void {
    if (vehicle === this.followed) return;
    this.followed = vehicle;
    this.host.classList.toggle("following", vehicle >= 0);
    this.askDraw();
  }

  fit(): void {
    if (this.scene && this.base.width > 0) {
      this.camera.fit(boundsOf(this.scene.instance), this.base.width, this.base.height, MARGIN);
    }
  }

  zoomBy(factor: number): void {
    this.camera.zoom(factor, 0, 0);
  }

  /** The whole scene on another canvas, all of it in view. */
  picture(context: Context, width: number, height: number): void {
    if (!this.scene) return;
    const camera = new Camera();
    camera.fit(boundsOf(this.scene.instance), width, height, MARGIN);
    drawScene(context, this.scene, new Projection(camera.frame, width, height));
  }

  /** Draw for paper, in a shape of its own; null is for the screen again. */
  setPaper(size: Size | null): void {
    const { width, height } = this.base;
    this.paper = size && { size, screen: this.paper?.screen ?? { width, height } };
    if (size) this.askDraw();
    else this.measure();
  }

  private measure(): void {
    if (this.paper) return;
    const { clientWidth, clientHeight } = this.host;
    const changed = this.base.resize(clientWidth, clientHeight);
    this.top.resize(clientWidth, clientHeight);
    if (!changed) return;
    this.layerFrame = null;
    if (this.camera.fitted) this.fit();
    this.draw(); // at once: a resized canvas is empty, and would blink
  }

  private moved(): void {
    // One finger scrolls the page until one has zoomed in.
    this.host.classList.toggle("zoomed", this.camera.magnification > 1.02);
    this.askDraw();
  }

  private draw(): void {
    if (this.paper) return this.drawPaper(this.paper.size, this.paper.screen);
    if (this.base.width === 0) return;
    const base = this.base.clear();
    const top = this.top.clear();
    if (!this.scene) return;
    const { frame } = this.camera;
    const slow = this.layerCost > SLOW_MS && this.layerFrame !== null;
    if (this.layerFrame !== frame && !slow) this.redrawLayer();
    if (this.layerFrame !== frame) {
      clearTimeout(this.settle);
      this.settle = window.setTimeout(() => {
        this.redrawLayer();
        this.draw();
      }, Math.max(SETTLE_MS, SETTLE_COSTS * this.layerCost));
    }
    this.copyLayer(base);
    if (this.followed >= 0) {
      drawFollowed(top, this.scene, this.followed, this.projection());
    }
  }

  /** All on one canvas: another one above it would be white on paper. */
  private drawPaper(size: Size, screen: Size): void {
    const context = this.base.renew(size);
    if (!this.scene) return;
    const camera = new Camera();
    camera.fit(boundsOf(this.scene.instance), size.width, size.height, MARGIN);
    let { frame } = camera;
    if (!this.camera.fitted) {
      const shrunk = Math.min(size.width / screen.width, size.height / screen.height);
      frame = { ...this.camera.frame, scale: this.camera.frame.scale * shrunk };
    }
    const projection = new Projection(frame, size.width, size.height);
    drawScene(context, this.scene, projection);
    if (this.followed < 0) return;
    context.fillStyle = withAlpha(this.scene.ink.paper, 0.78);
    context.fillRect(0, 0, size.width, size.height);
    drawFollowed(context, this.scene, this.followed, projection);
  }

  private redrawLayer(): void {
    if (!this.scene) return;
    const { width, height } = this.base;
    const began = performance.now();
    this.layer.resize(width, height);
    drawScene(this.layer.clear(), this.scene, this.projection());
    this.layerFrame = this.camera.frame;
    this.layerCost = performance.now() - began;
  }

  private copyLayer(context: Context): void {
    const { width, height } = this.base;
    const [old, now] = [this.layerFrame!, this.camera.frame];
    const grown = now.scale / old.scale;
    const x = width / 2 + (old.x - now.x) * now.scale - (width / 2) * grown;
    const y = height / 2 - (old.y - now.y) * now.scale - (height / 2) * grown;
    if (old !== now) {
      context.fillStyle = this.scene!.ink.paper;
      context.fillRect(0, 0, width, height);
    }
    context.drawImage(this.layer.canvas, x, y, width * grown, height * grown);
  }

  private projection(): Projection {
    return new Projection(this.camera.frame, this.base.width, this.base.height);
  }

  private listen(): void {
    const { host } = this;
    host.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      host.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      this.dragged = false;
    });
    host.addEventListener("pointermove", (event) => {
      if (this.pointers.has(event.pointerId)) this.drag(event);
      else this.point(event);
    });
    const release = (event: PointerEvent) => {
      const known = this.pointers.delete(event.pointerId);
      host.classList.remove("dragging");
      if (known && event.type === "pointerup" && !this.dragged) {
        const pointed = this.find(event.offsetX, event.offsetY);
        this.events.point(pointed, event.clientX, event.clientY);
        this.events.pin(pointed ? pointed.vehicle : -1);
      }
    };
    host.addEventListener("pointerup", release);
    host.addEventListener("pointercancel", release);
    host.addEventListener("pointerleave", (event) => {
      // A finger leaves when it is lifted; what it pointed at stays until the next touch.
      if (event.pointerType !== "touch") this.events.point(null, 0, 0);
    });
    host.addEventListener("dblclick", (event) => this.zoomAt(event, 2));
    host.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    host.addEventListener("keydown", (event) => this.key(event));
  }

  private drag(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId)!;
    const now = { x: event.offsetX, y: event.offsetY };
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId);
    if (others.length > 0) {
      const other = others[0]![1];
      const grown = Math.hypot(now.x - other.x, now.y - other.y) /
        Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
      const { width, height } = this.base;
      this.camera.zoom(grown, (now.x + other.x - width) / 2, (now.y + other.y - height) / 2);
      this.dragged = true;
    } else {
      const [dx, dy] = [now.x - before.x, now.y - before.y];
      if (!this.dragged && Math.hypot(dx, dy) < 4) return;
      this.camera.pan(dx, dy);
      this.dragged = true;
      this.host.classList.add("dragging");
    }
    this.pointers.set(event.pointerId, now);
  }

  private wheel(event: WheelEvent): void {
    if (!this.scene) return;
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1;
    this.zoomAt(event, Math.exp(-Math.max(-80, Math.min(80, event.deltaY * lines)) * 0.0035));
  }

  private zoomAt(event: MouseEvent, factor: number): void {
    const { width, height } = this.base;
    this.camera.zoom(factor, event.offsetX - width / 2, event.offsetY - height / 2);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = 60;
    const keys: Record<string, () => void> = {
      ArrowLeft: () => this.camera.pan(step, 0),
      ArrowRight: () => this.camera.pan(-step, 0),
      ArrowUp: () => this.camera.pan(0, step),
      ArrowDown: () => this.camera.pan(0, -step),
    };
    const act = keys[event.key];
    if (!act || !this.scene) return;
    event.preventDefault();
    act();
  }

  private point(event: PointerEvent): void {
    if (event.pointerType === "touch") return;
    const pointed = this.find(event.offsetX, event.offsetY);
    this.host.classList.toggle("pointing", pointed !== null);
    this.events.point(pointed, event.clientX, event.clientY);
  }

  /** The stop under the pointer, or else the leg. */
  private find(px: number, py: number): Pointed | null {
    if (!this.scene?.routes) return null;
    this.index ??= indexOf(this.scene);
    const { x, y, scale } = this.camera.frame;
    const at = [x + (px - this.base.width / 2) / scale, y - (py - this.base.height / 2) / scale] as const;
    const { stops, legs, ofStops, ofLegs } = this.index;
    const stop = stops.find(...at, POINT_REACH / scale);
    if (stop >= 0) return ofStops[stop]!;
    const leg = legs.find(...at, LEG_REACH / scale);
    return leg >= 0 ? ofLegs[leg]! : null;
  }
}

/** Stops and the legs between them; legs of the depot are too many at one place to point at. */
function indexOf(scene: Scene): Index {
  const { taskX, taskY } = scene.instance;
  const [stops, legs]: [Leg[], Leg[]] = [[], []];
  const [ofStops, ofLegs]: [Pointed[], Pointed[]] = [[], []];
  for (const { vehicle, trips } of scene.routes!.vehicles) {
    for (const trip of trips) {
      let before = -1;
      for (const task of trip.tasks) {
        const [x, y] = [taskX[task]!, taskY[task]!];
        stops.push([x, y, x, y]);
        ofStops.push({ vehicle, task });
        if (before >= 0) {
          legs.push([taskX[before]!, taskY[before]!, x, y]);
          ofLegs.push({ vehicle, task: -1 });
        }
        before = task;
      }
    }
  }
  return { stops: nearestOf(stops), legs: nearestOf(legs), ofStops, ofLegs };
}

type Leg = [number, number, number, number];

function nearestOf(legs: Leg[]): Nearest {
  const column = (i: number) => Float64Array.from(legs, (leg) => leg[i]!);
  const segments: Segments = { x0: column(0), y0: column(1), x1: column(2), y1: column(3) };
  return new Nearest(segments);
}
