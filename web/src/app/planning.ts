/** Planning: anew, again from a plan, stopped, or step by step. */

import type { PlanDocument } from "../model/documents";
import { plural } from "../model/format";
import { Trace } from "../model/trace";
import type { Client } from "../service/client";
import { byId, setText } from "../view/elements";
import { hideRemarks } from "../view/faults";
import type { Desk } from "./desk";
import { showResult } from "./phone";
import { isLive, type Run, type Runs } from "./runs";
import type { SolverChoice } from "./solverChoice";

export class Planning {
  constructor(
    private readonly desk: Desk,
    private readonly client: Client,
    private readonly runs: Runs,
    private readonly choice: SolverChoice,
  ) {
    byId("solve").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.solve();
    });
    byId("stop").addEventListener("click", () => void this.stop());
    byId("again").addEventListener("click", () => void this.planAgain());
    byId("trace").addEventListener("click", () => void this.construct());
  }

  /** From the plan that is shown, which keeps what begins soon where that is asked for. */
  async planAgain(): Promise<void> {
    const input = byId<HTMLInputElement>("keep");
    if (!input.reportValidity()) return;
    const span = input.value.trim();
    await this.solve(this.desk.shown?.plan ?? null, span === "" ? null : Number(span));
  }

  async solve(from: PlanDocument | null = null, keep: number | null = null): Promise<Run | null> {
    const instance = this.desk.instance;
    if (!instance || (this.desk.shown && isLive(this.desk.shown))) return null;
    this.desk.visit = null;
    this.desk.construction.close();
    hideRemarks();
    let run: Run | null = null;
    await this.desk.attempt("This cannot be planned", async () => {
      const { solver, limit, seed } = this.choice;
      run = await this.runs.start(instance, solver, limit, seed, from, keep);
      this.desk.shown = run;
      if (this.desk.other?.instance !== instance) this.desk.other = null;
      this.desk.announce("Planning");
    });
    this.desk.askRender();
    if (run) showResult();
    return run;
  }

  async stop(): Promise<void> {
    const run = this.desk.shown;
    if (!run || !isLive(run)) return;
    await this.desk.attempt("The run cannot be stopped", () => this.runs.stop(run));
  }

  async construct(): Promise<void> {
    const instance = this.desk.instance;
    if (!instance) return;
    const button = byId<HTMLButtonElement>("trace");
    button.disabled = true;
    setText(button, "The network is at work…");
    await this.desk.attempt("The construction cannot be shown", async () => {
      const document = await this.client.trace(instance.document, this.choice.seed);
      if (this.desk.instance !== instance) return;
      this.desk.other = null;
      this.desk.construction.open(new Trace(instance, document));
      this.desk.announce(`${plural(document.steps.length, "step")}`);
    });
    setText(button, "Step through the construction");
    this.desk.askRender();
  }
}
