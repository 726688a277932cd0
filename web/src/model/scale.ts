/** How the objective is told on an axis and in words. */

import { niceStep, number } from "./format";
import { clockStep, spanText, stepText, type Times } from "./times";

export interface Scale {
  /** Round steps that cut `span` into at most `most` parts. */
  readonly step: (span: number, most: number) => number;
  readonly tick: (value: number, step: number) => string;
  readonly text: (value: number) => string;
}

/** Hours and minutes for times whose unit is known, plain numbers for everything else. */
export function scaleOf(times: Times | null): Scale {
  if (times === null || !times.known || times.goal === "distance") {
    return { step: niceStep, tick, text: (value) => number(value) };
  }
  const spans: Times = { ...times, clock: false };
  return {
    step: (span, most) => clockStep(spans, span, most)!,
    tick: (value, step) => stepText(spans, value, step),
    text: (value) => spanText(spans, value),
  };
}

/** As many decimals as the steps need. */
function tick(value: number, step: number): string {
  const places = Math.max(0, Math.min(8, -Math.floor(Math.log10(step) + 1e-9)));
  return value.toLocaleString("en-GB", {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  });
}
