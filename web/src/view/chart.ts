/** The objective over time: a line that goes down in steps, for one run or two. */

import { multiples, niceStep, plain } from "../model/format";
import type { Scale } from "../model/scale";
import { FONT, type Ink } from "./ink";
import { oncePerFrame, Surface, type Context } from "./surface";

export interface Series {
  label: string;
  points: readonly (readonly [number, number])[];
  /** Until when it is known that nothing better was found. */
  until: number;
  colour: string;
  dashed: boolean;
}

export interface ChartScene {
  series: Series[];
  limit: number;
  scale: Scale;
  ink: Ink;
}

const LEFT = 74;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 20;

export class ChartView {
  private scene: ChartScene | null = null;
  private readonly surface: Surface;
  private readonly askDraw = oncePerFrame(() => this.draw());

  constructor(readonly host: HTMLElement) {
    const canvas = document.createElement("canvas");
    host.replaceChildren(canvas);
    this.surface = new Surface(canvas);
    new ResizeObserver(() => this.draw()).observe(host);
  }

  show(scene: ChartScene | null): void {
    this.scene = scene;
    this.askDraw();
  }

  private draw(): void {
    const { clientWidth, clientHeight } = this.host;
    this.surface.resize(clientWidth, clientHeight);
    const context = this.surface.clear();
    if (this.scene && clientWidth > 0) drawChart(context, this.scene, clientWidth, clientHeight);
  }
}

function drawChart(context: Context, scene: ChartScene, width: number, height: number): void {
  const { ink } = scene;
  const series = scene.series.filter((each) => each.points.length > 0);
  if (series.length === 0 && scene.limit === 0) {
    context.font = `12px ${FONT}`;
    context.fillStyle = ink.quiet;
    context.textBaseline = "top";
    context.fillText("No plan yet.", 4, 0);
    return;
  }
  const end = Math.max(scene.limit, ...series.map((each) => each.until), 0.1);
  const values = series.flatMap((each) => each.points.map((point) => point[1]));
  let [low, high] = values.length > 0 ? [Math.min(...values), Math.max(...values)] : [0, 1];
  // One value has no scale of its own: the line runs in the middle, and says what it is.
  const flat = high === low;
  const pad = flat ? Math.abs(high) * 0.02 || 1 : (high - low) * 0.08;
  [low, high] = [low - pad, high + pad];
  const x = (time: number) => LEFT + (time / end) * (width - LEFT - RIGHT);
  const y = (value: number) => TOP + ((high - value) / (high - low)) * (height - TOP - BOTTOM);
  const { scale } = scene;
  drawAxes(context, ink, { x, y, end, low, high, width, height, scale, empty: flat || values.length === 0 });
  for (const each of series) drawSeries(context, each, scene, x, y);
}

interface Axes {
  x: (time: number) => number;
  y: (value: number) => number;
  end: number;
  low: number;
  high: number;
  width: number;
  height: number;
  scale: Scale;
  empty: boolean;
}

function drawAxes(context: Context, ink: Ink, axes: Axes): void {
  const { x, y, end, low, high, width, height } = axes;
  context.font = `11px ${FONT}`;
  context.fillStyle = ink.quiet;
  context.strokeStyle = ink.grid;
  context.lineWidth = 1;
  context.textBaseline = "middle";
  context.textAlign = "center";
  const seconds = niceStep(end, Math.max(2, Math.floor((width - LEFT) / 56)));
  for (const time of multiples(0, end, seconds)) {
    const last = time + seconds > end * 1.0001;
    const text = `${plain(time)}${last ? " s" : ""}`;
    // What stands at the very end must not run off the side.
    const most = width - context.measureText(text).width / 2 - 1;
    context.fillText(text, Math.min(x(time), most), height - 8);
  }
  const step = axes.scale.step(high - low, Math.max(2, Math.floor((height - TOP - BOTTOM) / 22)));
  context.textAlign = "right";
  context.beginPath();
  for (const value of multiples(low, high, step)) {
    const at = Math.round(y(value)) + 0.5;
    context.moveTo(LEFT, at);
    context.lineTo(width - RIGHT, at);
    if (!axes.empty) context.fillText(axes.scale.tick(value, step), LEFT - 6, at);
  }
  context.stroke();
}

function drawSeries(
  context: Context,
  series: Series,
  { ink, scale }: ChartScene,
  x: (time: number) => number,
  y: (value: number) => number,
): void {
  const { points, until } = series;
  const first = points[0]!;
  const last = points[points.length - 1]!;
  context.beginPath();
  context.moveTo(x(first[0]), y(first[1]));
  for (let i = 1; i < points.length; i++) {
    context.lineTo(x(points[i]![0]), y(points[i - 1]![1]));
    context.lineTo(x(points[i]![0]), y(points[i]![1]));
  }
  context.lineTo(x(Math.max(until, last[0])), y(last[1]));
  context.strokeStyle = series.colour;
  context.lineWidth = 1.75;
  context.lineJoin = "round";
  context.setLineDash(series.dashed ? [5, 3] : []);
  context.stroke();
  context.setLineDash([]);
  const [endX, endY] = [x(Math.max(until, last[0])), y(last[1])];
  context.beginPath();
  context.arc(endX, endY, 3.2, 0, 2 * Math.PI);
  context.fillStyle = series.colour;
  context.fill();
  context.font = `600 11px ${FONT}`;
  context.textAlign = "right";
  context.textBaseline = "bottom";
  context.fillStyle = ink.text;
  const text = series.label ? `${series.label} ${scale.text(last[1])}` : scale.text(last[1]);
  const wide = context.measureText(text).width;
  context.fillText(text, Math.max(endX, LEFT + wide + 4), endY - 5);
}
