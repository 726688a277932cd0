/** Plans that no solver made: from files, and those that are changed by hand, with a way back. */

import type { PlanDocument, ProblemDocument } from "../model/documents";
import { readInstance, type Instance } from "../model/instance";
import type { CheckAnswer, Client } from "../service/client";
import { restOf, setRestOf } from "./rests";
import type { Run, Runs } from "./runs";

interface Step {
  instance: Instance;
  plan: PlanDocument;
  found: CheckAnswer;
  /** The vehicle that was followed before. */
  followed: number;
  /** When it was made, by the page's clock. */
  made: number;
}

interface Work {
  /** What it was before the first change. */
  base: Run;
  steps: Step[];
}

export class HandWork {
  private readonly works = new Map<Run, Work>();
  private busy = false;

  constructor(
    private readonly client: Client,
    private readonly runs: Runs,
  ) {}

  /** A plan from a file, as the checker sees it, by the goal that it was made for. */
  async open(asked: Instance, plan: PlanDocument, origin: string): Promise<Run> {
    const goal = plan.minimise ?? asked.times.goal;
    const instance = goal === asked.times.goal ? asked : changed(asked, { ...asked.document, minimise: goal });
    const found = await this.client.check(instance.document, plan);
    return this.runs.add(instance, plan, found, origin);
  }

  /** The run with the change: a new one beside what a solver made, otherwise the same. */
  async change(run: Run, document: ProblemDocument, plan: PlanDocument, followed: number): Promise<Run> {
    // The next change is for what this one leads to.
    if (this.busy) return run;
    this.busy = true;
    try {
      const found = await this.client.check(document, plan);
      return this.take(run, { instance: changed(run.instance!, document), plan, found, followed, made: performance.now() });
    } finally {
      this.busy = false;
    }
  }

  canUndo(run: Run | null): boolean {
    return run !== null && this.works.has(run);
  }

  /** The vehicle that was followed before the last change. */
  followedBefore(run: Run): number {
    return this.works.get(run)?.steps.at(-1)?.followed ?? -1;
  }

  /** When the last change was made, by the page's clock. */
  lastMade(run: Run | null): number {
    return (run && this.works.get(run)?.steps.at(-1)?.made) ?? -Infinity;
  }

  /** One change back; before the first there is the run that was changed. */
  undo(run: Run): Run {
    const work = this.works.get(run);
    if (!work || this.busy) return run;
    work.steps.pop();
    const step = work.steps.at(-1);
    if (step) {
      this.put(run, step);
      return run;
    }
    this.works.delete(run);
    this.runs.forget(run);
    return work.base;
  }

  private take(run: Run, step: Step): Run {
    const work = this.works.get(run);
    if (work) {
      work.steps.push(step);
      this.put(run, step);
      return run;
    }
    const changed = this.runs.add(step.instance, step.plan, step.found, "by hand");
    changed.from = run.objective;
    this.works.set(changed, { base: run, steps: [step] });
    return changed;
  }

  private put(run: Run, step: Step): void {
    run.instance = step.instance;
    this.runs.setChecked(run, step.plan, step.found);
  }
}

/** A problem that another one became; the rest of a day stays one. */
function changed(instance: Instance, document: ProblemDocument): Instance {
  if (document === instance.document) return instance;
  setRestOf(document, restOf(instance.document));
  return readInstance(document);
}
