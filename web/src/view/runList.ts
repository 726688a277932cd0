/** The plans so far: one is shown, another can be laid beside it. */

import { count, number, plain } from "../model/format";
import { whenText } from "../model/when";
import { goalText } from "../model/times";
import { isLive, waitingWords, type Run } from "../app/runs";
import { make } from "./elements";

export interface RunListEvents {
  show: (run: Run) => void;
  compare: (run: Run) => void;
  rename: (run: Run, name: string) => void;
  remove: (run: Run) => void;
}

// As the service has it.
const LONGEST_NAME = 200;

export class RunListView {
  private last = "";
  /** Whose name is being written: until it is, the list stands still. */
  private named: Run | null = null;
  /** The solver that needs no mention. */
  usual = "";

  constructor(
    readonly host: HTMLElement,
    private readonly events: RunListEvents,
  ) {}

  /** Put a field in place of a plan's name. */
  askName(run: Run): void {
    const about = this.host.querySelector<HTMLElement>(`[data-key="${CSS.escape(`select ${run.id}`)}"]`);
    if (!about || this.named) return;
    this.named = run;
    const input = make("input");
    input.value = run.title;
    input.maxLength = LONGEST_NAME;
    input.setAttribute("aria-label", "Name of the plan");
    const form = make("form", "naming", input);
    const done = (keep: boolean, refocus: boolean) => {
      if (this.named !== run) return;
      this.named = null;
      form.replaceWith(about);
      if (refocus) about.focus();
      this.events.rename(run, keep ? input.value : run.title);
    };
    input.addEventListener("keydown", (event) => {
      // Its own keys: taking back what was typed, and leaving the name as it was.
      event.stopPropagation();
      if (event.key === "Escape") done(false, true);
    });
    input.addEventListener("blur", () => done(true, false));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      done(true, true);
    });
    about.replaceWith(form);
    input.select();
  }

  show(runs: Run[], shown: Run | null, other: Run | null): void {
    const state = JSON.stringify([
      shown?.id,
      other?.id,
      runs.map((run) => [run.id, run.status, run.objective, run.title, run.position, run.kept, !!run.instance]),
    ]);
    if (state === this.last || this.named) return;
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
    about.title = run.title; // it may be longer than the list is wide
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
    const rename = make("button", "rename", "✎");
    rename.type = "button";
    rename.dataset["key"] = `rename ${run.id}`;
    rename.disabled = !run.kept;
    rename.title = run === shown ? "Rename this plan (F2)" : "Rename this plan";
    rename.setAttribute("aria-label", `Rename the plan of ${when}`);
    rename.addEventListener("click", () => this.askName(run));
    const remove = make("button", "remove", "✕");
    remove.type = "button";
    remove.dataset["key"] = `remove ${run.id}`;
    remove.disabled = isLive(run);
    remove.title = "Delete this plan";
    remove.setAttribute("aria-label", `Delete the plan of ${when}`);
    remove.addEventListener("click", () => this.events.remove(run));
    return make("li", isLive(run) ? "live" : "", select, compare, make("span", "own", rename, remove));
  }
}

/** How it was made; the usual way goes without saying. */
export function howWords(run: Run, usual: string): string {
  const limit = run.limit === null ? "" : `${plain(run.limit)} s`;
  return [run.solver === usual ? "" : run.solver, limit].filter((part) => part !== "").join(", ");
}

function servesNobody({ routes }: Run): boolean {
  return routes !== null && routes.leftOut > 0 && routes.served === 0;
}

function valueText(run: Run): string {
  if (run.objective === null || servesNobody(run)) return "–";
  // What its number means is known once it has been looked at.
  if (!run.instance) return number(run.objective);
  return goalText(run.instance.times, run.objective, run.routes?.latest)
    .filter((part) => part !== "")
    .join(" ");
}

function words(run: Run): string {
  if (run.violations.length > 0) return "breaks rules";
  if (run.status === "queued") return waitingWords(run).toLowerCase();
  if (!run.routes?.leftOut || (run.status !== "finished" && run.status !== "stopped")) return run.status;
  return servesNobody(run) ? "serves nobody" : `${count(run.routes.leftOut)} left out`;
}
