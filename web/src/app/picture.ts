/** A picture to download: title, map, schedule. */

import { FONT, type Ink } from "../view/ink";
import type { MapView } from "../view/map";
import type { ScheduleView } from "../view/schedule";

const WIDTH = 1200;
const MAP = 860;
const HEAD = 56;
const RATIO = 2;

export async function picture(
  map: MapView,
  schedule: ScheduleView,
  ink: Ink,
  words: { title: string; objective: string; vehicles: number },
): Promise<Blob> {
  const bars = Math.min(420, Math.max(150, words.vehicles * 18 + 40));
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH * RATIO;
  canvas.height = (HEAD + MAP + bars) * RATIO;
  const context = canvas.getContext("2d")!;
  context.scale(RATIO, RATIO);
  context.fillStyle = ink.panel;
  context.fillRect(0, 0, WIDTH, HEAD + MAP + bars);
  context.fillStyle = ink.text;
  context.textBaseline = "middle";
  context.font = `600 18px ${FONT}`;
  context.fillText(words.title, 18, HEAD / 2, WIDTH - 320);
  context.textAlign = "right";
  context.fillText(words.objective, WIDTH - 18, HEAD / 2);
  const part = (top: number, height: number, draw: () => void) => {
    context.save();
    context.translate(0, top);
    context.beginPath();
    context.rect(0, 0, WIDTH, height);
    context.clip();
    context.textAlign = "left";
    draw();
    context.restore();
  };
  part(HEAD, MAP, () => map.picture(context, WIDTH, MAP));
  part(HEAD + MAP, bars, () => schedule.picture(context, WIDTH, bars));
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
  );
}
