/** The plans so far: shown again, compared, deleted. */

import { byId } from "../view/elements";
import { askRemoval } from "../view/removalDialog";
import { RunListView } from "../view/runList";
import type { Desk } from "./desk";
import { Naming } from "./naming";
import { tellGone, tellNoAddress } from "./places";
import { isGone, isLive, type Run, type Runs } from "./runs";
import { runWords } from "./words";

const EARLIER_RUNS = 40;

export class PlanList {
  private readonly view = new RunListView(byId("runs"), {
    show: (run) => void this.showRun(run),
    compare: (run) => void this.compare(run),
    rename: (run, name) => void this.naming.rename(run, name),
    remove: (run) => void this.remove(run),
  });
  readonly naming: Naming;

  constructor(
    private readonly desk: Desk,
    private readonly runs: Runs,
    private readonly fit: () => void,
  ) {
    this.naming = new Naming(desk, runs, (run) => tellNoAddress(desk, run));
    byId("older").addEventListener("click", () => void this.listOlder());
  }

  /** The solver that need not be named. */
  set usual(solver: string) {
    this.view.usual = solver;
  }

  render(): void {
    const { runs, desk } = this;
    byId("no-runs").hidden = runs.list.length > 0;
    this.view.show(runs.list, desk.shown, desk.other);
    this.naming.render();
    byId("older").hidden = runs.cursor === null;
  }

  /** Ask for another name of a plan that the service has. */
  rename(run: Run | null): void {
    if (run?.kept) this.view.askName(run);
  }

  /** The newest that the service has. */
  loadNewest(): Promise<void> {
    return this.runs.loadEarlier(EARLIER_RUNS);
  }

  private async showRun(run: Run): Promise<void> {
    this.desk.visit = null;
    if (await this.isLost(run)) return;
    await this.desk.attempt("This run cannot be shown", async () => {
      await this.runs.open(run);
      this.desk.construction.close();
      if (run === this.desk.other) this.desk.other = this.desk.shown;
      this.desk.shown = run;
      if (this.desk.other === run) this.desk.other = null;
      this.desk.setInstance(run.instance!);
    });
    if (this.desk.shown === run) this.desk.tellViolations(run);
    this.desk.askRender();
  }

  /** A run that was never looked at and is gone at the service leaves the list, with a word. */
  private async isLost(run: Run): Promise<boolean> {
    if (run.instance) return false;
    try {
      await this.runs.open(run);
      return false;
    } catch (error) {
      if (!isGone(error)) return false; // told by who opens it
    }
    this.runs.forget(run);
    tellGone(run.id);
    this.desk.askRender();
    return true;
  }

  /** Delete a plan, once that was confirmed: whoever has its address loses it, too. */
  private async remove(run: Run): Promise<void> {
    if (isLive(run) || !(await askRemoval(runWords(run), run.title, run.kept))) return;
    const done = await this.desk.attempt("This plan cannot be deleted", () => this.runs.remove(run));
    if (!done) return;
    if (this.desk.other === run) this.desk.other = null;
    if (this.desk.shown === run) {
      this.desk.shown = this.desk.other;
      this.desk.other = null;
      if (this.desk.shown) this.desk.setInstance(this.desk.shown.instance!);
    }
    this.desk.announce("Deleted");
    this.desk.askRender();
    byId("runs-head").focus();
  }

  private async listOlder(): Promise<void> {
    await this.desk.attempt("Older plans cannot be listed", () => this.runs.loadEarlier(EARLIER_RUNS));
    this.desk.askRender();
  }

  private async compare(run: Run): Promise<void> {
    this.desk.visit = null;
    if (await this.isLost(run)) return;
    if (run === this.desk.other) {
      this.desk.other = null;
    } else {
      await this.desk.attempt("This run cannot be shown", async () => {
        await this.runs.open(run);
        this.desk.construction.close();
        this.desk.other = run;
      });
    }
    this.desk.askRender();
    requestAnimationFrame(() => this.fit());
  }
}
