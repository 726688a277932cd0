/** Stepping through the parallel construction: play, pause, who took what, who lost. */

import { count, number, plural } from "../model/format";
import type { Trace } from "../model/trace";
import type { Moment } from "../view/mapDrawing";
import { byId, make, setText } from "../view/elements";

const MOST_LINES = 60;
const SPEEDS = [1, 3, 10, 30];

export class Construction {
  moment: Moment | null = null;
  /** When the last vehicle of the finished plan is done. */
  reach = 0;
  private timer = 0;
  private speed = 1;
  private readonly bar = byId("construction");
  private readonly slider = byId<HTMLInputElement>("step");
  private readonly playButton = byId<HTMLButtonElement>("play");
  private readonly log = byId("step-log");

  constructor(private readonly changed: () => void) {
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.playButton.addEventListener("click", () => this.toggle());
    byId("step-first").addEventListener("click", () => this.go(0));
    byId("step-back").addEventListener("click", () => this.move(-1));
    byId("step-on").addEventListener("click", () => this.move(1));
    byId("step-last").addEventListener("click", () => this.go(Infinity));
    byId("step-close").addEventListener("click", () => this.close());
    byId("step-speed").addEventListener("click", () => this.faster());
  }

  open(trace: Trace): void {
    this.moment = { trace, step: 0 };
    this.reach = trace.routesAfter(trace.steps.length).latest;
    this.slider.max = String(trace.steps.length);
    this.bar.hidden = false;
    this.speed = trace.steps.length > 200 ? 10 : trace.steps.length > 60 ? 3 : 1;
    this.go(0);
    this.play();
    this.playButton.focus();
  }

  close(): void {
    this.pause();
    if (!this.moment) return;
    this.moment = null;
    this.bar.hidden = true;
    this.changed();
  }

  toggle(): void {
    if (this.timer) this.pause();
    else this.play();
  }

  move(by: number): void {
    this.pause();
    if (this.moment) this.go(this.moment.step + by);
  }

  private play(): void {
    if (!this.moment) return;
    if (this.moment.step >= this.moment.trace.steps.length) this.go(0);
    clearInterval(this.timer);
    this.timer = window.setInterval(() => this.tick(), 700 / this.speed);
    this.show();
  }

  private pause(): void {
    clearInterval(this.timer);
    this.timer = 0;
    this.show();
  }

  private faster(): void {
    this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length]!;
    if (this.timer) this.play();
    this.show();
  }

  private tick(): void {
    const { step, trace } = this.moment!;
    if (step >= trace.steps.length) this.pause();
    else this.go(step + 1);
  }

  private go(step: number): void {
    if (!this.moment) return;
    const { trace } = this.moment;
    this.moment = { trace, step: Math.max(0, Math.min(trace.steps.length, step)) };
    this.show();
    this.changed();
  }

  private show(): void {
    const playing = this.timer !== 0;
    this.playButton.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.playButton.classList.toggle("playing", playing);
    setText(byId("step-speed"), `${this.speed}×`);
    byId("step-speed").setAttribute("aria-label", `Speed ${this.speed}×`);
    if (!this.moment) return;
    const { trace, step } = this.moment;
    this.slider.value = String(step);
    const here = trace.steps[step - 1];
    const words = `Step ${step} of ${trace.steps.length}`;
    this.slider.setAttribute("aria-valuetext", words);
    setText(byId("step-words"), words);
    const tally = here
      ? `${plural(here.moves.length, "move")}, ${plural(here.conflicts.length, "conflict")}, ${count(here.waiting)} waiting`
      : `Everybody at the start; the finished plan has ${number(trace.objective)}`;
    setText(byId("step-tally"), tally);
    this.log.replaceChildren(...lines(trace, step));
  }
}

function lines(trace: Trace, step: number): HTMLLIElement[] {
  const here = trace.steps[step - 1];
  if (!here) return [];
  const { vehicleNames, taskNames } = trace.instance;
  const vehicle = (index: number) => vehicleNames[index] ?? "nobody";
  const conflicts = here.conflicts.map(({ task, won, lost }) =>
    make(
      "li",
      "conflict",
      `${taskNames[task]}: ${vehicle(won)} took it, ${lost.map(vehicle).join(", ")} lost`,
    ),
  );
  const moves = here.moves.map(({ vehicle: v, to, probability }) => {
    const target = to < 0 ? "home" : taskNames[to]!;
    const sure = probability === null ? "" : ` (${Math.round(probability * 100)} %)`;
    return make("li", "", `${vehicle(v)} → ${target}${sure}`);
  });
  const all = [...conflicts, ...moves];
  const more = all.length - MOST_LINES;
  return more > 0 ? [...all.slice(0, MOST_LINES), make("li", "quiet", `… and ${more} more`)] : all;
}
