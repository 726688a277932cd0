/** How the objective is told on an axis and in words. */

import { niceStep, number } from "./format";
import { clockStep, spanText, stepText, timeText, type Times } from "./times";

export interface Scale {
  /** Round steps that cut `span` into at most `most` parts. */
  readonly step: (span: number, most: number) => number;
  readonly tick: (value: number, step: number) => string;
  readonly text: (value: number) => string;
}

/** The scale for the objective of a plan; `latest` is when its last vehicle is done. */
export function scaleFor(times: Times | null, objective: number | null, latest: number | null): Scale {
  const dawn = objective === null || latest === null ? null : latest - objective;
  return scaleOf(times, dawn);
}

/** Times of day for a makespan from `dawn` on, words for lengths of time, otherwise numbers. */
export function scaleOf(times: Times | null, dawn: number | null = null): Scale {
  if (times?.clock && times.goal === "makespan" && dawn !== null) {
    const text = (value: number) => timeText(times, dawn + value);
    return { step: (span, most) => clockStep(times, span, most, 1)!, tick: text, text };
  }
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
