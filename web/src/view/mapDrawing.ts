/** What a map shows, drawn on any canvas: the page's and the picture's. */

import { withAlpha } from "../model/palette";
import type { Instance, Point } from "../model/instance";
import { multiples, niceStep, plain } from "../model/format";
import type { Routes } from "../model/routes";
import type { Trace } from "../model/trace";
import { waysOf, type Way } from "../model/ways";
import type { Box, Frame } from "./camera";
import { FONT, type Ink } from "./ink";
import type { Context } from "./surface";
import type { Tiles } from "./tiles";

/** A construction that is stepped through, and how many of its steps are done. */
export interface Moment {
  trace: Trace;
  step: number;
}

export interface Scene {
  instance: Instance;
  routes: Routes | null;
  moment: Moment | null;
  ink: Ink;
  tiles: Tiles | null;
}

/** Smaller dots are squares: nobody sees it, and there are thousands of them. */
const SMALLEST_ROUND = 1.8;

/** Where things land on the canvas. */
export class Projection {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;

  constructor(
    readonly frame: Frame,
    readonly width: number,
    readonly height: number,
  ) {
    this.x = (value) => (value - frame.x) * frame.scale + width / 2;
    this.y = (value) => (frame.y - value) * frame.scale + height / 2;
  }
}

export function boundsOf(instance: Instance): Box {
  const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  const take = (xs: Float64Array, ys: Float64Array) => {
    for (let i = 0; i < xs.length; i++) {
      box.left = Math.min(box.left, xs[i]!);
      box.right = Math.max(box.right, xs[i]!);
      box.bottom = Math.min(box.bottom, ys[i]!);
      box.top = Math.max(box.top, ys[i]!);
    }
  };
  take(instance.taskX, instance.taskY);
  take(instance.startX, instance.startY);
  const own = [...instance.ownStart, ...instance.ownEnd].filter((point) => point !== null);
  take(Float64Array.from(own, (point) => point[0]), Float64Array.from(own, (point) => point[1]));
  return box;
}

/** Sizes shrink as more is drawn, and grow again when one zooms in. */
export function markSize(instance: Instance, projection: Projection): number {
  const tasks = instance.taskX.length;
  const box = boundsOf(instance);
  const area = Math.max(box.right - box.left, 1e-12) * Math.max(box.top - box.bottom, 1e-12);
  const spacing = Math.sqrt((area * projection.frame.scale ** 2) / Math.max(tasks, 1));
  return Math.max(1.1, Math.min(5, spacing * 0.13));
}

export function drawScene(context: Context, scene: Scene, projection: Projection): void {
  const { instance, ink } = scene;
  drawGround(context, scene, projection);
  const size = markSize(instance, projection);
  if (scene.routes) drawRoutes(context, scene.routes, ink, projection, size);
  else if (instance.kind === "omdcpdp") drawOrders(context, instance, ink, projection);
  drawTasks(context, scene, projection, size);
  if (scene.moment) drawMoment(context, scene, scene.moment, projection, size);
  drawStarts(context, instance, ink, projection, size);
  drawScaleBar(context, instance, ink, projection);
}

function drawGround(context: Context, scene: Scene, projection: Projection): void {
  const { instance, ink, tiles } = scene;
  const { width, height, frame } = projection;
  context.fillStyle = ink.paper;
  context.fillRect(0, 0, width, height);
  if (tiles && instance.origin) {
    tiles.draw(context, frame, width, height, instance.origin);
    context.fillStyle = withAlpha(ink.paper, ink.theme === "light" ? 0.35 : 0.72);
    context.fillRect(0, 0, width, height);
    return;
  }
  const step = niceStep(Math.max(width, height) / frame.scale, 12);
  context.beginPath();
  const [halfWidth, halfHeight] = [width / 2 / frame.scale, height / 2 / frame.scale];
  for (const x of multiples(frame.x - halfWidth, frame.x + halfWidth, step)) {
    const at = Math.round(projection.x(x)) + 0.5;
    context.moveTo(at, 0);
    context.lineTo(at, height);
  }
  for (const y of multiples(frame.y - halfHeight, frame.y + halfHeight, step)) {
    const at = Math.round(projection.y(y)) + 0.5;
    context.moveTo(0, at);
    context.lineTo(width, at);
  }
  context.strokeStyle = ink.grid;
  context.lineWidth = 1;
  context.stroke();
}

/** Legs from and to the depot are faint: they hide more than they tell. */
function drawRoutes(
  context: Context,
  routes: Routes,
  ink: Ink,
  projection: Projection,
  size: number,
): void {
  const { instance } = routes;
  const width = Math.max(0.8, Math.min(2, size * 0.5));
  const ways = routes.vehicles.map((route) => waysOf(instance, route));
  context.lineJoin = "round";
  if (instance.kind === "hcvrp") {
    const trips = routes.vehicles.reduce((sum, route) => sum + route.trips.length, 0);
    context.globalAlpha = Math.max(0.05, Math.min(0.3, 30 / trips)); // many add up near the depot
    context.lineWidth = Math.max(0.6, width * 0.6);
    for (const route of routes.vehicles) {
      context.beginPath();
      for (const way of ways[route.vehicle]!) homeLegs(context, way, projection);
      context.strokeStyle = ink.vehicles[route.vehicle]!;
      context.stroke();
    }
    context.globalAlpha = 1;
  }
  context.lineWidth = width;
  for (const route of routes.vehicles) {
    for (let shade = 0; shade < Math.min(3, route.trips.length); shade++) {
      context.beginPath();
      for (let t = shade; t < route.trips.length; t += 3) {
        taskLegs(context, instance, ways[route.vehicle]![t]!, projection);
      }
      context.strokeStyle = ink.trips[route.vehicle]![shade]!;
      context.stroke();
    }
  }
}

/** Couriers come to their first stop from where they begin. */
function taskLegs(context: Context, instance: Instance, way: Way, projection: Projection): void {
  drawLine(context, instance.kind === "omdcpdp" ? [...way.before, ...way.stops] : way.stops, projection);
}

function homeLegs(context: Context, { before, stops, after }: Way, projection: Projection): void {
  drawLine(context, [...before, stops[0]!], projection);
  if (after) drawLine(context, [stops.at(-1)!, after], projection);
}

function drawLine(context: Context, points: Point[], projection: Projection): void {
  for (const [i, [x, y]] of points.entries()) {
    if (i === 0) context.moveTo(projection.x(x), projection.y(y));
    else context.lineTo(projection.x(x), projection.y(y));
  }
}

/** Before there is a plan: a faint line from each pickup to its delivery. */
function drawOrders(context: Context, instance: Instance, ink: Ink, projection: Projection): void {
  const { taskX, taskY, numOrders } = instance;
  context.beginPath();
  for (let order = 0; order < numOrders; order++) {
    context.moveTo(projection.x(taskX[order]!), projection.y(taskY[order]!));
    const delivery = order + numOrders;
    context.lineTo(projection.x(taskX[delivery]!), projection.y(taskY[delivery]!));
  }
  context.strokeStyle = withAlpha(ink.quiet, numOrders > 400 ? 0.18 : 0.4);
  context.lineWidth = 1;
  context.stroke();
}

/** Customers are dots by demand; pickups are rings, deliveries are full. */
function drawTasks(context: Context, scene: Scene, projection: Projection, size: number): void {
  const { instance, routes, ink } = scene;
  const groups = new Map<number, number[]>();
  for (let task = 0; task < instance.taskX.length; task++) {
    const server = routes ? routes.server[task]! : -1;
    const group = groups.get(server);
    if (group) group.push(task);
    else groups.set(server, [task]);
  }
  for (const [server, tasks] of groups) {
    const colour = server < 0 ? ink.quiet : ink.vehicles[server]!;
    context.globalAlpha = server < 0 && routes ? 0.55 : 1;
    drawMarks(context, instance, tasks, colour, ink.paper, projection, size);
  }
  context.globalAlpha = 1;
}

function drawMarks(
  context: Context,
  instance: Instance,
  tasks: Iterable<number>,
  colour: string,
  paper: string,
  projection: Projection,
  size: number,
): void {
  const { taskX, taskY, demand, numOrders } = instance;
  const largest = instance.kind === "hcvrp" ? Math.max(largestOf(demand), 1e-12) : 1;
  const full = new Path2D();
  const rings = new Path2D();
  for (const task of tasks) {
    const [x, y] = [projection.x(taskX[task]!), projection.y(taskY[task]!)];
    if (x < -9 || y < -9 || x > projection.width + 9 || y > projection.height + 9) continue;
    if (task < numOrders) {
      const radius = Math.max(1, size * 0.9);
      rings.moveTo(x + radius, y);
      rings.arc(x, y, radius, 0, 2 * Math.PI);
    } else {
      const radius = instance.kind === "hcvrp" ? size * (0.7 + (0.5 * demand[task]!) / largest) : size;
      if (size < SMALLEST_ROUND) {
        full.rect(x - radius, y - radius, 2 * radius, 2 * radius);
      } else {
        full.moveTo(x + radius, y);
        full.arc(x, y, radius, 0, 2 * Math.PI);
      }
    }
  }
  context.fillStyle = colour;
  if (size > 2.4) {
    context.strokeStyle = paper;
    context.lineWidth = 2;
    context.stroke(full);
  }
  context.fill(full);
  context.fillStyle = paper;
  context.fill(rings);
  context.strokeStyle = colour;
  context.lineWidth = Math.max(0.9, size * 0.4);
  context.stroke(rings);
}

const largestKnown = new WeakMap<Float64Array, number>();

function largestOf(values: Float64Array): number {
  let largest = largestKnown.get(values);
  if (largest === undefined) {
    largest = values.reduce((most, value) => Math.max(most, value), 0);
    largestKnown.set(values, largest);
  }
  return largest;
}

/** The depot is a square; the starts of vehicles are diamonds in their colours. */
function drawStarts(
  context: Context,
  instance: Instance,
  ink: Ink,
  projection: Projection,
  size: number,
): void {
  context.lineWidth = 1.5;
  context.strokeStyle = ink.paper;
  if (instance.kind === "hcvrp") {
    const [x, y] = [projection.x(instance.startX[0]!), projection.y(instance.startY[0]!)];
    context.fillStyle = ink.text;
    context.fillRect(x - 6, y - 6, 12, 12);
    context.strokeRect(x - 6, y - 6, 12, 12);
    return;
  }
  const reach = Math.max(3, Math.min(7, size * 1.7));
  for (let v = 0; v < instance.startX.length; v++) {
    const [x, y] = [projection.x(instance.startX[v]!), projection.y(instance.startY[v]!)];
    diamond(context, x, y, reach);
    context.fillStyle = ink.vehicles[v]!;
    context.fill();
    context.strokeStyle = reach > 4 ? ink.text : ink.paper;
    context.lineWidth = 1;
    context.stroke();
  }
}

function diamond(context: Context, x: number, y: number, reach: number): void {
  context.beginPath();
  context.moveTo(x, y - reach);
  context.lineTo(x + reach, y);
  context.lineTo(x, y + reach);
  context.lineTo(x - reach, y);
  context.closePath();
}

/** The moves of the last step in bold, lost conflicts as broken lines to a ringed task. */
function drawMoment(
  context: Context,
  scene: Scene,
  moment: Moment,
  projection: Projection,
  size: number,
): void {
  const { instance, ink } = scene;
  const step = moment.trace.steps[moment.step - 1];
  if (!step) return;
  const place = (vehicle: number, task: number) =>
    task < 0
      ? ([projection.x(instance.startX[vehicle]!), projection.y(instance.startY[vehicle]!)] as const)
      : ([projection.x(instance.taskX[task]!), projection.y(instance.taskY[task]!)] as const);
  const before = moment.trace.placesAfter(moment.step - 1);
  context.lineWidth = Math.max(2, size * 0.8);
  for (const { vehicle, to } of step.moves) {
    const [from, end] = [place(vehicle, before[vehicle]!), place(vehicle, to)];
    context.strokeStyle = context.fillStyle = ink.vehicles[vehicle]!;
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...end);
    context.stroke();
    if (to < 0) continue;
    context.beginPath();
    context.arc(...end, Math.max(3, size * 1.5), 0, 2 * Math.PI);
    context.fill();
  }
  context.strokeStyle = ink.alarm;
  context.lineWidth = 1.5;
  for (const { task, lost } of step.conflicts) {
    const end = place(0, task);
    context.setLineDash([4, 4]);
    for (const vehicle of lost) {
      context.beginPath();
      context.moveTo(...place(vehicle, before[vehicle]!));
      context.lineTo(...end);
      context.stroke();
    }
    context.setLineDash([]);
    context.beginPath();
    context.arc(...end, Math.max(6, size * 2.4), 0, 2 * Math.PI);
    context.stroke();
  }
}

function drawScaleBar(context: Context, instance: Instance, ink: Ink, projection: Projection): void {
  const length = niceStep((projection.width * 0.16) / projection.frame.scale, 1);
  const pixels = length * projection.frame.scale;
  if (!(pixels < projection.width * 0.4)) return;
  const [x, y] = [12.5, projection.height - 11.5];
  context.strokeStyle = ink.quiet;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, y - 4);
  context.lineTo(x, y);
  context.lineTo(x + pixels, y);
  context.lineTo(x + pixels, y - 4);
  context.stroke();
  context.fillStyle = ink.quiet;
  context.font = `11px ${FONT}`;
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.fillText(`${plain(length)}${instance.origin ? " km" : ""}`, x + pixels + 6, y + 1);
}

/** One vehicle on its own: strong line, direction, the order of its stops. */
export function drawFollowed(
  context: Context,
  scene: Scene,
  vehicle: number,
  projection: Projection,
): void {
  const { instance, routes, ink } = scene;
  const route = routes?.vehicles[vehicle];
  if (!route) return;
  const size = Math.max(2.4, markSize(instance, projection) * 1.15);
  context.lineJoin = "round";
  for (const [number, way] of waysOf(instance, route).entries()) {
    context.strokeStyle = ink.trips[vehicle]![number % 3]!;
    if (instance.kind === "hcvrp") {
      context.beginPath();
      homeLegs(context, way, projection);
      context.setLineDash([5, 4]);
      context.lineWidth = 1.2;
      context.stroke();
      context.setLineDash([]);
    }
    context.beginPath();
    taskLegs(context, instance, way, projection);
    context.lineWidth = 2.6;
    context.stroke();
    arrows(context, way, projection);
  }
  const tasks = route.trips.flatMap((trip) => Array.from(trip.tasks));
  drawMarks(context, instance, tasks, ink.vehicles[vehicle]!, ink.paper, projection, size);
  drawStarts(context, instance, ink, projection, size);
  drawNumbers(context, scene, vehicle, projection);
}

function arrows(context: Context, { before, stops }: Way, projection: Projection): void {
  context.fillStyle = context.strokeStyle;
  const [first, ...rest] = [...before, ...stops].map(([x, y]) => [projection.x(x), projection.y(y)] as const);
  let [x, y] = first!;
  for (const [nextX, nextY] of rest) {
    const [dx, dy] = [nextX - x, nextY - y];
    const length = Math.hypot(dx, dy);
    if (length > 26) {
      const [ux, uy] = [dx / length, dy / length];
      const [mx, my] = [x + dx * 0.55, y + dy * 0.55];
      context.beginPath();
      context.moveTo(mx + ux * 5, my + uy * 5);
      context.lineTo(mx - ux * 4 - uy * 4, my - uy * 4 + ux * 4);
      context.lineTo(mx - ux * 4 + uy * 4, my - uy * 4 - ux * 4);
      context.fill();
    }
    [x, y] = [nextX, nextY];
  }
}

/** The position of each stop beside it, where there is room for numbers. */
function drawNumbers(context: Context, scene: Scene, vehicle: number, projection: Projection): void {
  const { instance, routes, ink } = scene;
  const taken: [number, number, number][] = [];
  context.font = `600 11px ${FONT}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.lineWidth = 3;
  context.strokeStyle = ink.paper;
  context.fillStyle = ink.text;
  let position = 0;
  for (const trip of routes!.vehicles[vehicle]!.trips) {
    for (const task of trip.tasks) {
      position++;
      const [x, y] = [projection.x(instance.taskX[task]!), projection.y(instance.taskY[task]!)];
      const wide = 7 * String(position).length + 2;
      const free = ([left, right, top]: [number, number, number]) =>
        x + wide < left || x > right || Math.abs(y - top) > 12;
      if (!taken.every(free)) continue;
      taken.push([x, x + wide, y]);
      context.strokeText(String(position), x + 7, y - 6);
      context.fillText(String(position), x + 7, y - 6);
    }
  }
}
