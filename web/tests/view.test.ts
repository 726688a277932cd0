import { expect, test } from "vitest";

import { change, multiples, niceStep, number } from "../src/model/format";
import { mix, palette } from "../src/model/palette";
import { Camera } from "../src/view/camera";
import { Nearest } from "../src/view/nearest";

test("numbers have five digits and no powers of ten", () => {
  expect([1.34339, 12.2011, 123456.7, 0, 0.00123456].map((value) => number(value))).toEqual([
    "1.3434",
    "12.201",
    "123,457",
    "0.0000",
    "0.0012346",
  ]);
});

test("a change carries its sign", () => {
  expect(change(2, 1.9)).toBe("−5.00 %");
  expect(change(1, 1.2)).toBe("+20.0 %");
  expect(change(1, 1)).toBe("±0 %");
});

test("steps are round and few enough", () => {
  for (const span of [0.013, 1, 7, 99, 12345]) {
    const step = niceStep(span, 6);
    expect(span / step).toBeLessThanOrEqual(6 + 1e-9);
    expect(span / step).toBeGreaterThan(2);
  }
});

test("multiples are few, even where numbers cannot tell them apart", () => {
  expect(multiples(0, 1, 0.25)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  expect(multiples(-1, 1, 1)).toEqual([-1, 0, 1]);
  expect(multiples(1e9, 1e9 + 1e-9, 1e-10).length).toBeLessThanOrEqual(200);
  expect(multiples(0, NaN, 1)).toEqual([]);
});

test("every vehicle has its own colour", () => {
  for (const theme of ["light", "dark"] as const) {
    expect(new Set(palette(10, theme)).size).toBe(10);
    expect(new Set(palette(200, theme)).size).toBeGreaterThan(190);
  }
  expect(mix("#000000", "#ffffff", 0.5)).toBe("#808080");
});

test("the nearest leg is the one that a search through all of them finds", () => {
  const draw = generator(7);
  const column = () => Float64Array.from({ length: 300 }, draw);
  const segments = { x0: column(), y0: column(), x1: column(), y1: column() };
  for (let i = 0; i < 300; i++) {
    segments.x1[i] = segments.x0[i]! + 0.1 * (segments.x1[i]! - 0.5);
    segments.y1[i] = segments.y0[i]! + 0.1 * (segments.y1[i]! - 0.5);
  }
  const index = new Nearest(segments);
  for (let k = 0; k < 200; k++) {
    const [x, y] = [draw(), draw()];
    const distances = Array.from(segments.x0, (_, i) => {
      const [ax, ay] = [segments.x0[i]!, segments.y0[i]!];
      const [dx, dy] = [segments.x1[i]! - ax, segments.y1[i]! - ay];
      const along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy);
      const share = Math.min(1, Math.max(0, along));
      return Math.hypot(x - ax - share * dx, y - ay - share * dy);
    });
    const best = distances.indexOf(Math.min(...distances));
    expect(index.find(x, y, 0.05)).toBe(distances[best]! < 0.05 ? best : -1);
  }
});

test("what is under the pointer stays there when one zooms", () => {
  const camera = new Camera();
  camera.fit({ left: 0, right: 2, bottom: 0, top: 1 }, 400, 300, 20);
  const at = (px: number, py: number) => [
    camera.frame.x + px / camera.frame.scale,
    camera.frame.y - py / camera.frame.scale,
  ];
  const before = at(70, -40);
  camera.zoom(3, 70, -40);
  const after = at(70, -40);
  expect(after[0]).toBeCloseTo(before[0]!, 12);
  expect(after[1]).toBeCloseTo(before[1]!, 12);
});

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
