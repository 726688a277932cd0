/** Addresses: what they name is shown, and what is shown is named by them. */

import { readInstance } from "../model/instance";
import { originOf, setOrigin } from "../model/locks";
import { ServiceError } from "../service/client";
import { hideComplaint, showComplaint } from "../view/faults";
import { keepDesk, readAddress, readDesk, showAddress, type KeptDesk } from "./address";
import type { Desk } from "./desk";
import type { HandWork } from "./handwork";
import { restOf, setRestOf } from "./rests";
import { isGone, type Run, type Runs } from "./runs";

export class Places {
  private keptDesk: KeptDesk | null = null;

  constructor(
    private readonly desk: Desk,
    private readonly runs: Runs,
    private readonly handWork: HandWork,
    private readonly fit: () => void,
  ) {
    window.addEventListener("popstate", () => void this.goToAddress());
  }

  /** Show what the address names, or else what was on the desk before a reload. */
  async goToAddress(): Promise<void> {
    const visit = (this.desk.visit = Symbol());
    try {
      await this.openAddress(() => this.desk.visit === visit);
    } finally {
      if (this.desk.visit === visit) this.desk.visit = null;
      this.desk.askRender();
    }
  }

  /** Whoever goes on while an address is being opened is not called back to it. */
  private async openAddress(wanted: () => boolean): Promise<void> {
    const { job, other } = readAddress(location.search);
    const run = job ? await this.fetchRun(job) : null;
    const beside = run && other && other !== job ? await this.fetchRun(other) : null;
    if (!wanted()) return;
    if (run) {
      this.desk.construction.close();
      [this.desk.shown, this.desk.other] = [run, beside];
      this.desk.setInstance(run.instance!);
      this.desk.tellViolations(run);
      requestAnimationFrame(() => this.fit());
      return;
    }
    const desk = readDesk();
    if (!desk || this.desk.instance) return;
    setOrigin(desk.problem, desk.origin ?? null);
    setRestOf(desk.problem, desk.rest ?? null);
    this.desk.setInstance(readInstance(desk.problem));
    if (!desk.plan) return;
    try {
      const brought = await this.handWork.open(this.desk.instance!, desk.plan, "by hand");
      if (wanted()) this.desk.shown = brought;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      showComplaint({ title: "The plan from before cannot be shown", message: error.message, faults: error.faults });
    }
  }

  /** A run by its id; null, and a word why, when the service does not have it (any more). */
  private async fetchRun(id: string): Promise<Run | null> {
    try {
      const run = await this.runs.find(id);
      await this.runs.open(run);
      hideComplaint();
      return run;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (isGone(error)) tellGone(id);
      else showComplaint({ title: "This plan cannot be shown", message: error.message, faults: error.faults });
      return null;
    }
  }

  /** The address names what is shown; what has no address survives a reload of this tab. */
  keepPlace(): void {
    const { shown, other, instance } = this.desk;
    if (!this.desk.about || !instance || this.desk.visit) return;
    const job = shown?.kept ? shown.id : null;
    showAddress({ job, other: job && other?.kept ? other.id : null });
    const plan = shown && !shown.kept ? shown.plan : null;
    if (this.keptDesk?.problem === instance.document && this.keptDesk.plan === plan) return;
    const { document } = instance;
    this.keptDesk = { problem: document, plan, origin: originOf(document), rest: restOf(document) };
    keepDesk(this.keptDesk);
  }
}

/** A word on a plan that the service does not have. */
export function tellGone(id: string): void {
  showComplaint({
    title: "This plan is no longer here",
    message: `This service does not have the plan ${id}. It was deleted or has become too old, or the service was started anew without --data.`,
    faults: [],
    advice: "Everything else works: open stops and vehicles, or choose another plan.",
  });
}

/** A word on a plan that is here, and that the service does not have any more. */
export function tellNoAddress(desk: Desk, run: Run): void {
  run.kept = false;
  showComplaint({
    title: "This plan has no address any more",
    message: "It was deleted, or the service was started anew without --data. It is still here.",
    faults: [],
    advice: "“Plan again from here” gives it a new one; or save it and send the file.",
  });
  desk.askRender();
}
