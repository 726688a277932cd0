/** The windows of a stop, from when to when each: changed, added and taken away before it is told. */

import type { Time } from "../model/documents";
import { make } from "./elements";

export interface FactField {
  label: HTMLLabelElement;
  read: () => Time;
}

/** A number, or a time of day, that may be left out. */
export function factField(key: string, words: string, value: Time, clock: boolean): FactField {
  const input = make("input");
  input.type = clock ? "time" : "number";
  if (!clock) Object.assign(input, { step: "any", min: "0" });
  input.value = value === null ? "" : String(value);
  input.dataset["key"] = key;
  const read = (): Time => (input.value === "" ? null : clock ? input.value : Number(input.value));
  return { label: make("label", "", words, input), read };
}

export class WindowFields {
  readonly element = make("div", "windows wide");
  private fields: [FactField, FactField][] = [];

  constructor(
    private readonly task: number,
    windows: [Time, Time][],
    private readonly clock: boolean,
  ) {
    this.render(windows);
  }

  read(): [Time, Time][] {
    return this.fields.map(([from, until]) => [from.read(), until.read()]);
  }

  /** One line for each, and one to fill in where it may be served at any time. */
  private render(windows: [Time, Time][]): void {
    const shown: [Time, Time][] = windows.length > 0 ? windows : [[null, null]];
    this.fields = shown.map(([from, until], i) => {
      const which = shown.length > 1 ? ` (${i + 1})` : "";
      const field = (name: string, words: string, value: Time) =>
        factField(`${name} ${i} ${this.task}`, `${words}${which}`, value, this.clock);
      return [field("from", "Not before", from), field("until", "Not after", until)];
    });
    const lines = this.fields.map(([from, until], i) =>
      make("div", "window", from.label, until.label, ...(windows.length > 1 ? [this.remover(i)] : [])),
    );
    this.element.replaceChildren(...lines, this.adder());
  }

  private adder(): HTMLElement {
    const button = make("button", "", "Another window");
    button.type = "button";
    button.title = "It may be served in any one of them";
    button.dataset["key"] = `window ${this.task}`;
    button.addEventListener("click", () => {
      const windows = this.read();
      const last = windows.at(-1)!;
      // One that is still empty is there to be filled in.
      if (last[0] !== null || last[1] !== null) this.render([...windows, [null, null]]);
      this.fields.at(-1)![0].label.control!.focus();
    });
    return button;
  }

  private remover(at: number): HTMLElement {
    const button = make("button", "plain", "✕");
    button.type = "button";
    button.title = "Take this window away";
    button.setAttribute("aria-label", `Take window ${at + 1} away`);
    button.addEventListener("click", () => {
      this.render(this.read().filter((_, i) => i !== at));
      this.element.querySelector<HTMLElement>(":scope > button")!.focus();
    });
    return button;
  }
}
