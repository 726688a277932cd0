/** Names of plans: given, and taken back. */

import { byId } from "../view/elements";
import type { Desk } from "./desk";
import { isGone, type Run, type Runs } from "./runs";

interface Renaming {
  run: Run;
  before: string;
  /** When it was done, by the page's clock. */
  made: number;
}

export class Naming {
  private readonly done: Renaming[] = [];
  private readonly button = byId("undo-name");

  constructor(
    private readonly desk: Desk,
    private readonly runs: Runs,
    private readonly tellNoAddress: (run: Run) => void,
  ) {
    this.button.addEventListener("click", () => void this.undo());
  }

  render(): void {
    this.button.hidden = this.last === undefined;
  }

  /** When a name was last given, by the page's clock. */
  get lastMade(): number {
    return this.last?.made ?? -Infinity;
  }

  /** Names of plans that are gone cannot be taken back. */
  private get last(): Renaming | undefined {
    return this.done.filter(({ run }) => run.kept && this.runs.list.includes(run)).at(-1);
  }

  async rename(run: Run, name: string): Promise<void> {
    const before = run.title;
    if (name.trim() !== before && (await this.name(run, name.trim()))) {
      this.done.push({ run, before, made: performance.now() });
    }
    this.desk.askRender();
  }

  async undo(): Promise<void> {
    const { last } = this;
    if (!last) return;
    if (await this.name(last.run, last.before)) this.done.splice(this.done.indexOf(last), 1);
    this.desk.askRender();
  }

  private async name(run: Run, name: string): Promise<boolean> {
    let gone = false;
    const done = await this.desk.attempt("This plan cannot be renamed", async () => {
      try {
        await this.runs.rename(run, name);
      } catch (error) {
        gone = isGone(error);
        if (!gone) throw error;
      }
    });
    if (gone) this.tellNoAddress(run);
    else if (done) this.desk.announce(`It is called ${run.title} now`);
    return done && !gone;
  }
}
