/** "How good is it?": the button, and the fact that comes of it. */

import { ServiceError, type Client } from "../service/client";
import { byId, setText } from "../view/elements";
import { showComplaint } from "../view/faults";
import { aboveWords, Bounds, boundMeaning, canCompare, type Known } from "./bounds";
import type { Desk } from "./desk";
import type { Run } from "./runs";

export interface Fact {
  name: string;
  value: string;
  meaning: string;
  /** Whether it is too long to stand beside others. */
  wide?: boolean;
}

const NAME = "Above the best";
const REFUSED = "How good it is cannot be told where vehicles are under way or end elsewhere.";
const UNKNOWN = "How good it is could not be found out.";

export class Comparing {
  private readonly bounds: Bounds;
  private readonly button = byId<HTMLButtonElement>("how-good");

  constructor(
    private readonly desk: Desk,
    client: Client,
  ) {
    this.bounds = new Bounds(client.bound);
    this.button.addEventListener("click", () => void this.ask());
  }

  /** What is known of the plan that is shown. */
  fact(): Fact | null {
    const { run, known } = this;
    if (!run || !known || known === "looking" || "refused" in known) return null;
    const value = aboveWords(run.objective!, known);
    return value === null ? null : { name: NAME, value, meaning: boundMeaning(run, known), wide: true };
  }

  render(): void {
    const { run, known } = this;
    const looking = known === "looking";
    const told = known !== null && !looking;
    const held = document.activeElement === this.button;
    this.button.hidden = !run || told;
    // Not disabled: who came to it by keyboard would be somewhere else at once.
    this.button.setAttribute("aria-disabled", String(looking));
    setText(this.button, looking ? "Looking…" : "How good is it?");
    const words = byId("how-good-words");
    const fact = this.fact();
    words.hidden = !told || fact !== null;
    setText(words, this.excuse());
    // Whoever pressed the button by keyboard goes on from what came in its place.
    if (told && held) hold(fact ? byId("facts").lastElementChild : words);
  }

  private get run(): Run | null {
    const { shown, construction } = this.desk;
    return !construction.moment && canCompare(shown) ? shown : null;
  }

  private get known(): Known | null {
    return this.run && this.bounds.of(this.run.instance!.document);
  }

  private async ask(): Promise<void> {
    const problem = this.run?.instance?.document;
    if (!problem || this.bounds.of(problem)) return;
    this.desk.announce("Looking how good it is");
    const found = this.bounds.find(problem);
    this.desk.askRender();
    try {
      await found;
      // Somebody may look at another problem by now.
      if (this.run?.instance?.document === problem) this.tell();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      showComplaint({ title: "How good it is cannot be told now", message: error.message, faults: error.faults });
    }
    this.desk.askRender();
  }

  private tell(): void {
    const fact = this.fact();
    this.desk.announce(fact ? `${fact.name}: ${fact.value}. ${fact.meaning}` : this.excuse());
  }

  private excuse(): string {
    const known = this.known;
    return known && known !== "looking" && "refused" in known ? REFUSED : UNKNOWN;
  }
}

/** Give the focus to what has none by itself. */
function hold(element: Element | null): void {
  if (!(element instanceof HTMLElement)) return;
  element.tabIndex = -1;
  element.focus();
}
