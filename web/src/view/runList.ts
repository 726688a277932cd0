/** The plans so far: one is shown, another can be laid beside it. */

import { number, plain } from "../model/format";
import { whenText } from "../model/when";
import { goalText } from "../model/times";
import { isLive, waitingWords, type Run } from "../app/runs";
import { make } from "./elements";

export interface RunListEvents {
  show: (run: Run) => void;
  compare: (run: Run) => void;
  remove: (run: Run) => void;
}

export class RunListView {
  private last = "";
  /** The solver that needs no mention. */
  usual = "";

  constructor(
    readonly host: HTMLElement,
    private readonly events: RunListEvents,
  ) {}

  show(runs: Run[], shown: Run | null, other: Run | null): void {
    const state = JSON.stringify([
      shown?.id,
      other?.id,
      runs.map((run) => [run.id, run.status, run.objective, run.title, run.position, !!run.instance]),
    ]);
    if (state === this.last) return;
    this.last = state;
    const focused = (document.activeElement as HTMLElement | null)?.dataset["key"];
    this.host.replaceChildren(...runs.map((run) => this.row(run, shown, other)));
    if (focused) this.host.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  private row(run: Run, shown: Run | null, other: Run | null): HTMLLIElement {
    const mark = run === other ? "B" : run === shown && other ? "A" : "";
    const when = whenText(run.created, new Date());
    const what = make("span", "what", make("span", "solver", when), howWords(run, this.usual));
    const about = make("span", "about quiet", run.title);
    const select = make(
      "button",
      "select",
      ...(mark ? [make("span", "mark", mark)] : []),
      make("span", "words", what, about),
      make("span", "value", valueText(run), make("span", `status ${run.status}`, words(run))),
    );
    select.type = "button";
    select.title = run.kept ? `${run.solver}, seed ${run.seed}` : run.solver;
    select.dataset["key"] = `select ${run.id}`;
    select.setAttribute("aria-pressed", String(run === shown));
    select.addEventListener("click", () => this.events.show(run));
    const compare = make("button", "compare", "vs");
    compare.type = "button";
    compare.dataset["key"] = `compare ${run.id}`;
    compare.disabled = shown === null || run === shown;
    compare.title = run === other ? "Stop comparing" : "Compare with the plan that is shown";
    compare.setAttribute("aria-label", `vs: compare with the plan of ${when}`);
    compare.setAttribute("aria-pressed", String(run === other));
    compare.addEventListener("click", () => this.events.compare(run));
    const remove = make("button", "remove", "✕");
    remove.type = "button";
    remove.dataset["key"] = `remove ${run.id}`;
    remove.disabled = isLive(run);
    remove.title = "Delete this plan";
    remove.setAttribute("aria-label", `Delete the plan of ${when}`);
    remove.addEventListener("click", () => this.events.remove(run));
    return make("li", isLive(run) ? "live" : "", select, compare, remove);
  }
}

/** How it was made; the usual way goes without saying. */
export function howWords(run: Run, usual: string): string {
  const limit = run.limit === null ? "" : `${plain(run.limit)} s`;
  return [run.solver === usual ? "" : run.solver, limit].filter((part) => part !== "").join(", ");
}

function valueText(run: Run): string {
  if (run.objective === null) return "–";
  // What its number means is known once it has been looked at.
  if (!run.instance) return number(run.objective);
  return goalText(run.instance.times, run.objective, run.routes?.latest)
    .filter((part) => part !== "")
    .join(" ");
}

function words(run: Run): string {
  if (run.violations.length > 0) return "breaks rules";
  return run.status === "queued" ? waitingWords(run).toLowerCase() : run.status;
}
