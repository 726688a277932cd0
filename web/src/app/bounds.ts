/** How good a plan could be at best: what the service proved of each problem, and that in words. */

import type { ProblemDocument } from "../model/documents";
import { scaleFor } from "../model/scale";
import { ServiceError, type BoundAnswer } from "../service/client";
import { isLive, type Run } from "./runs";

/** What is known of a problem; a text where the service will never tell more. */
export type Known = BoundAnswer | "looking" | { refused: string };

// Less than this is what rounding makes of nothing.
const NOTHING = 1e-9;

export class Bounds {
  // By document: plans of one problem share it, and an edited problem has another.
  private readonly known = new WeakMap<ProblemDocument, Known>();

  constructor(private readonly ask: (problem: ProblemDocument) => Promise<BoundAnswer>) {}

  of(problem: ProblemDocument): Known | null {
    return this.known.get(problem) ?? null;
  }

  /** Ask once. What may be answered at another time fails, and is not known afterwards. */
  async find(problem: ProblemDocument): Promise<void> {
    if (this.known.has(problem)) return;
    this.known.set(problem, "looking");
    try {
      this.known.set(problem, await this.ask(problem));
    } catch (error) {
      this.known.delete(problem);
      if (!(error instanceof ServiceError && error.code === "no-bound")) throw error;
      this.known.set(problem, { refused: error.message });
    }
  }
}

/** Whether a plan can be compared with the best one: it is over, serves everybody, breaks nothing. */
export function canCompare(run: Run | null): run is Run {
  if (!run?.instance || !run.routes || run.objective === null || isLive(run)) return false;
  const { kind, times } = run.instance;
  const whole = run.routes.leftOut === 0 && run.leftOut.length === 0 && run.violations.length === 0;
  return whole && kind === "hcvrp" && times.goal === "makespan";
}

/** "at most 4.1 %"; null where the service knows nothing that is of use. */
export function aboveWords(objective: number, { value }: BoundAnswer): string | null {
  if (!(value > 0)) return null;
  const share = objective / value - 1;
  if (share <= NOTHING) return "nothing: there is no better one";
  // Rounded up, or it would not be true.
  const tenths = Math.ceil(share * 1000 - NOTHING);
  return `at most ${tenths < 1000 ? (tenths / 10).toFixed(1) : Math.ceil(tenths / 10)} %`;
}

/** What that means. */
export function boundMeaning(run: Run, { value, complete }: BoundAnswer): string {
  const { times } = run.instance!;
  const scale = scaleFor(times, run.objective, run.routes?.latest ?? null);
  const unit = times.timeWord && ` ${times.timeWord}`;
  const more = complete ? "" : "; more time may prove more";
  return `No plan that serves everybody is over before ${scale.text(value)}${unit}${more}`;
}
