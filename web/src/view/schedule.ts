/** The schedule: one bar per vehicle with its trips, and the line that has to move left. */

import { multiples, niceStep, plain } from "../model/format";
import { clockStep, spanText, stepText, timeText } from "../model/times";
import { withAlpha } from "../model/palette";
import type { Routes, Trip } from "../model/routes";
import { FONT, type Ink } from "./ink";
import { calm, oncePerFrame, Surface, type Context } from "./surface";

export interface ScheduleScene {
  routes: Routes;
  /** Vehicles from top to bottom. */
  order: number[];
  /** How far the axis reaches: the worst plan so far, so that the line is seen to move. */
  reach: number;
  /** Whether vehicles are still under way: a construction that is stepped through. */
  growing: boolean;
  ink: Ink;
}

export interface ScheduleEvents {
  point: (vehicle: number, task: number, x: number, y: number) => void;
  pin: (vehicle: number) => void;
}

const AXIS = 22;
const TOP = 18;
const LEAST_ROW = 9;
const MOST_ROW = 26;
const MOST_TICKS = 3000;
/** What fits on a page that is as wide as the paper. */
const MOST_ON_PAPER = 900;

export class ScheduleView {
  private scene: ScheduleScene | null = null;
  private followed = -1;
  private readonly surface: Surface;
  private readonly spacer = document.createElement("div");
  /** Where the line is drawn while it moves. */
  private line = 0;
  /** How wide it is on paper, while the page is printed. */
  private paper: number | null = null;
  private readonly askDraw = oncePerFrame(() => this.draw());

  constructor(
    readonly host: HTMLElement,
    private readonly events: ScheduleEvents,
  ) {
    const canvas = document.createElement("canvas");
    this.spacer.className = "spacer";
    host.replaceChildren(canvas, this.spacer);
    this.surface = new Surface(canvas);
    new ResizeObserver(() => this.draw()).observe(host);
    host.addEventListener("scroll", this.askDraw);
    host.addEventListener("pointermove", (event) => this.point(event));
    host.addEventListener("pointerleave", () => events.point(-1, -1, 0, 0));
    host.addEventListener("click", (event) => events.pin(this.vehicleAt(event.clientY)));
  }

  show(scene: ScheduleScene | null): void {
    if (scene && scene.routes.instance !== this.scene?.routes.instance) this.line = 0;
    this.scene = scene;
    if (this.line === 0 && scene) this.line = scene.routes.latest;
    this.askDraw();
  }

  follow(vehicle: number): void {
    if (vehicle === this.followed) return;
    this.followed = vehicle;
    this.askDraw();
  }

  /** Draw all rows for paper of some width; null is for the screen again. */
  setPaper(width: number | null): void {
    this.paper = width;
    this.host.style.aspectRatio = "";
    this.askDraw();
  }

  /** How high all rows are at their best. */
  static height(vehicles: number): number {
    return vehicles * Math.max(LEAST_ROW, Math.min(MOST_ROW, 420 / vehicles)) + TOP + AXIS;
  }

  /** All rows on another canvas. */
  picture(context: Context, width: number, height: number): void {
    if (!this.scene) return;
    const rows = this.scene.order.length;
    const layout = new Layout(this.scene, width, height, (height - TOP - AXIS) / rows, 0);
    drawSchedule(context, this.scene, layout, -1, this.scene.routes.latest);
  }

  private drawPaper(scene: ScheduleScene, width: number): void {
    const rows = scene.order.length;
    const height = Math.min(MOST_ON_PAPER, Math.ceil(ScheduleView.height(rows)));
    this.host.style.aspectRatio = `${width} / ${height}`;
    const layout = new Layout(scene, width, height, (height - TOP - AXIS) / rows, 0);
    drawSchedule(this.surface.renew({ width, height }), scene, layout, this.followed, scene.routes.latest);
  }

  private draw(): void {
    if (this.paper !== null && this.scene) return this.drawPaper(this.scene, this.paper);
    const { clientWidth, clientHeight } = this.host;
    this.surface.resize(clientWidth, clientHeight);
    const context = this.surface.clear();
    if (!this.scene || clientWidth === 0) {
      this.spacer.style.height = "0px";
      return;
    }
    const layout = this.layout();
    const full = layout.row * this.scene.order.length + TOP + AXIS;
    this.spacer.style.height = `${Math.max(0, Math.floor(full - clientHeight))}px`;
    const target = this.scene.routes.latest;
    const gap = target - this.line;
    const still = calm.matches || Math.abs(gap) < target * 5e-4;
    this.line = still ? target : this.line + gap * 0.25;
    drawSchedule(context, this.scene, layout, this.followed, this.line);
    if (!still) this.askDraw();
  }

  private layout(): Layout {
    const { clientWidth, clientHeight, scrollTop } = this.host;
    const room = (clientHeight - TOP - AXIS) / Math.max(1, this.scene!.order.length);
    const row = Math.max(LEAST_ROW, Math.min(MOST_ROW, room));
    return new Layout(this.scene!, clientWidth, clientHeight, row, scrollTop);
  }

  private vehicleAt(clientY: number): number {
    if (!this.scene) return -1;
    const y = clientY - this.host.getBoundingClientRect().top;
    return this.scene.order[this.layout().rowAt(y)] ?? -1;
  }

  private point(event: PointerEvent): void {
    if (!this.scene || event.pointerType === "touch") return;
    const vehicle = this.vehicleAt(event.clientY);
    const x = event.clientX - this.host.getBoundingClientRect().left;
    const task = vehicle < 0 ? -1 : nearestVisit(this.scene.routes, vehicle, this.layout(), x);
    this.events.point(vehicle, task, event.clientX, event.clientY);
  }
}

function nearestVisit(routes: Routes, vehicle: number, layout: Layout, x: number): number {
  let [best, distance] = [-1, 6];
  for (const trip of routes.vehicles[vehicle]!.trips) {
    trip.arrival.forEach((time, i) => {
      const here = Math.abs(layout.x(time) - x);
      if (here < distance) [best, distance] = [trip.tasks[i]!, here];
    });
  }
  return best;
}

class Layout {
  readonly left: number;

  constructor(
    readonly scene: ScheduleScene,
    readonly width: number,
    readonly height: number,
    readonly row: number,
    readonly scroll: number,
  ) {
    const longest = Math.max(
      ...scene.routes.instance.vehicleNames.slice(0, 300).map((name) => name.length),
    );
    this.left = row >= LEAST_ROW ? Math.max(28, Math.min(118, longest * 7.4 + 16, width * 0.3)) : 10;
  }

  x(time: number): number {
    const room = this.width - this.left - 14;
    const { reach, routes } = this.scene;
    return this.left + ((time - routes.first) / (reach - routes.first || 1)) * room;
  }

  y(row: number): number {
    return TOP + row * this.row - this.scroll;
  }

  rowAt(y: number): number {
    if (y < TOP || y > this.height - AXIS) return -1;
    return Math.floor((y - TOP + this.scroll) / this.row);
  }
}

function drawSchedule(
  context: Context,
  scene: ScheduleScene,
  layout: Layout,
  followed: number,
  line: number,
): void {
  const { routes, order, ink } = scene;
  context.save();
  context.beginPath();
  context.rect(0, TOP, layout.width, layout.height - TOP - AXIS);
  context.clip();
  drawTimes(context, scene, layout, false);
  const first = Math.max(0, Math.floor(layout.scroll / layout.row));
  const last = Math.min(order.length, first + Math.ceil(layout.height / layout.row) + 1);
  for (let row = first; row < last; row++) {
    const vehicle = order[row]!;
    context.globalAlpha = followed >= 0 && vehicle !== followed ? 0.28 : 1;
    drawName(context, scene, layout, row, vehicle, vehicle === followed);
    drawBars(context, routes, ink, layout, row, vehicle);
  }
  context.globalAlpha = 1;
  context.restore();
  drawTimes(context, scene, layout, true);
  drawLine(context, scene, layout, line);
}

function drawName(
  context: Context,
  scene: ScheduleScene,
  layout: Layout,
  row: number,
  vehicle: number,
  bold: boolean,
): void {
  if (layout.row < LEAST_ROW) return;
  const size = Math.min(12, layout.row - 0.5);
  context.font = `${bold ? "600 " : ""}${size}px ${FONT}`;
  context.fillStyle = scene.ink.text;
  context.textAlign = "right";
  context.textBaseline = "middle";
  const name = scene.routes.instance.vehicleNames[vehicle]!;
  // Letters are not equally wide, and those of who is followed are bold.
  let shown = name;
  for (let kept = name.length - 1; kept > 0 && context.measureText(shown).width > layout.left - 10; kept--) {
    shown = `${name.slice(0, kept)}…`;
  }
  context.fillText(shown, layout.left - 8, layout.y(row) + layout.row / 2);
}

function drawBars(
  context: Context,
  routes: Routes,
  ink: Ink,
  layout: Layout,
  row: number,
  vehicle: number,
): void {
  const { instance } = routes;
  const thick = Math.max(1, layout.row * (layout.row > 14 ? 0.66 : 0.78));
  const y = layout.y(row) + (layout.row - thick) / 2;
  const colour = ink.vehicles[vehicle]!;
  const gap = layout.row > 5 ? 1 : 0;
  for (const [t, trip] of routes.vehicles[vehicle]!.trips.entries()) {
    const [left, right] = [layout.x(trip.begin), layout.x(trip.end)];
    if (instance.kind === "hcvrp") {
      context.fillStyle = ink.trips[vehicle]![t % 3]!;
      context.fillRect(left, y, Math.max(0.5, right - left - gap), thick);
      if (instance.taskX.length > MOST_TICKS || layout.row < 7) continue;
      context.fillStyle = withAlpha(ink.paper, ink.theme === "light" ? 0.75 : 0.5);
      for (const time of trip.arrival) context.fillRect(layout.x(time) - 0.5, y, 1, thick);
      drawWaiting(context, layout, trip, y, thick);
      continue;
    }
    drawAboard(context, layout, trip, colour, instance.capacity[vehicle]!, y, thick);
    if (layout.row < 7) continue;
    context.fillStyle = withAlpha(ink.paper, ink.theme === "light" ? 0.75 : 0.5);
    drawWaiting(context, layout, trip, y, thick);
    trip.tasks.forEach((task, i) => {
      if (task < instance.numOrders) return;
      context.beginPath();
      context.arc(layout.x(trip.arrival[i]!), y + thick / 2, Math.min(3.4, thick * 0.28), 0, 2 * Math.PI);
      context.fillStyle = ink.paper;
      context.fill();
      context.strokeStyle = ink.text;
      context.lineWidth = 1;
      context.stroke();
    });
  }
}

/** A stripe in the middle of the bar while a vehicle waits. */
function drawWaiting(context: Context, layout: Layout, trip: Trip, y: number, thick: number): void {
  trip.waiting.forEach((span, i) => {
    if (span <= 0) return;
    const [from, to] = [layout.x(trip.arrival[i]!), layout.x(trip.arrival[i]! + span)];
    context.fillRect(from, y + thick * 0.3, to - from, thick * 0.4);
  });
}

/** Paler with little on board, stronger with much. */
function drawAboard(
  context: Context,
  layout: Layout,
  trip: Trip,
  colour: string,
  capacity: number,
  y: number,
  thick: number,
): void {
  let [time, aboard] = [trip.begin, 0];
  trip.arrival.forEach((next, i) => {
    const [left, right] = [layout.x(time), layout.x(next)];
    context.fillStyle = withAlpha(colour, 0.22 + (0.78 * aboard) / Math.max(1, capacity));
    context.fillRect(left, y, right - left, thick);
    [time, aboard] = [next, trip.load[i]!];
  });
}

function drawTimes(context: Context, scene: ScheduleScene, layout: Layout, labels: boolean): void {
  const { ink, reach } = scene;
  const { first, instance } = scene.routes;
  const most = Math.max(2, Math.floor((layout.width - layout.left) / 70));
  const step = clockStep(instance.times, reach - first, most) ?? niceStep(reach - first, most);
  const bottom = layout.height - AXIS;
  context.font = `11px ${FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const time of multiples(first, reach, step)) {
    const x = Math.round(layout.x(time)) + 0.5;
    if (labels) {
      context.fillStyle = ink.quiet;
      const { times } = instance;
      const label = times.clock ? timeText(times, time) : times.known ? stepText(times, time, step) : plain(time);
      context.fillText(label, x, bottom + AXIS / 2 + 1);
    } else {
      context.strokeStyle = ink.grid;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(x, TOP);
      context.lineTo(x, bottom);
      context.stroke();
    }
  }
}

/** When the last vehicle is done; for orders also when the average one arrives. */
function drawLine(context: Context, scene: ScheduleScene, layout: Layout, time: number): void {
  const { routes, ink } = scene;
  const { instance, latest, objective } = routes;
  const { times } = instance;
  const end = instance.kind === "hcvrp" ? "last home" : "last delivery";
  const word = scene.growing ? "latest so far" : end;
  const taken = mark(context, layout, time, `${word} ${timeText(times, latest)}`, ink.accent, true, Infinity);
  if (instance.kind === "hcvrp" || scene.growing || instance.numOrders === 0) return;
  if (times.goal !== "arrivals" || times.day) return;
  const mean = objective / instance.numOrders;
  mark(context, layout, mean, `mean ${spanText(times, mean)}${times.timeWord && ` ${times.timeWord}`}`, ink.quiet, false, taken - 10);
}

/** A line with its words above, unless they would reach beyond `free`; gives where they begin. */
function mark(
  context: Context,
  layout: Layout,
  time: number,
  text: string,
  colour: string,
  main: boolean,
  free: number,
): number {
  const x = layout.x(time);
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = main ? 1.5 : 1;
  context.setLineDash(main ? [] : [4, 3]);
  context.beginPath();
  context.moveTo(x, TOP - 3);
  context.lineTo(x, layout.height - AXIS);
  context.stroke();
  context.setLineDash([]);
  context.font = `600 11px ${FONT}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  const wide = context.measureText(text).width;
  const left = Math.max(2, Math.min(x - wide / 2, layout.width - wide - 4));
  if (left + wide <= free) context.fillText(text, left, TOP / 2);
  return left;
}
