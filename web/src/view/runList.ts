/** The runs so far: one is shown, another can be laid beside it. */

import { number, plain } from "../model/format";
import { isLive, waitingWords, type Run } from "../app/runs";
import { make } from "./elements";

export interface RunListEvents {
  show: (run: Run) => void;
  compare: (run: Run) => void;
}

export class RunListView {
  private last = "";

  constructor(
    readonly host: HTMLElement,
    private readonly events: RunListEvents,
  ) {}

  show(runs: Run[], shown: Run | null, other: Run | null): void {
    const state = JSON.stringify([
      shown?.id,
      other?.id,
      runs.map((run) => [run.id, run.status, run.objective, run.title, run.position, run.number]),
    ]);
    if (state === this.last) return;
    this.last = state;
    const focused = (document.activeElement as HTMLElement | null)?.dataset["key"];
    this.host.replaceChildren(...runs.map((run) => this.row(run, shown, other)));
    if (focused) this.host.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  private row(run: Run, shown: Run | null, other: Run | null): HTMLLIElement {
    const mark = run === other ? "B" : run === shown && other ? "A" : String(run.number);
    const value = run.objective === null ? "–" : number(run.objective);
    const what = make("span", "what", make("span", "solver", run.solver), `${run.limit === null ? "" : `${plain(run.limit)} s, `}seed ${run.seed}`);
    const about = make("span", "about quiet", run.title);
    const select = make(
      "button",
      "select",
      make("span", "mark", mark),
      make("span", "words", what, about),
      make("span", "value", value, make("span", `status ${run.status}`, words(run))),
    );
    select.type = "button";
    select.dataset["key"] = `select ${run.id}`;
    select.setAttribute("aria-pressed", String(run === shown));
    select.addEventListener("click", () => this.events.show(run));
    const compare = make("button", "compare", "vs");
    compare.type = "button";
    compare.dataset["key"] = `compare ${run.id}`;
    compare.disabled = shown === null || run === shown;
    compare.title = run === other ? "Stop comparing" : "Compare with the run that is shown";
    compare.setAttribute("aria-label", `Compare with run ${run.number}`);
    compare.setAttribute("aria-pressed", String(run === other));
    compare.addEventListener("click", () => this.events.compare(run));
    return make("li", isLive(run) ? "live" : "", select, compare);
  }
}

function words(run: Run): string {
  return run.status === "queued" ? waitingWords(run).toLowerCase() : run.status;
}
