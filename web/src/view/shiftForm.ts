/** From when to when the chosen vehicle is on the road: a van that breaks down ends its day early. */

import type { Time } from "../model/documents";
import { shiftOf } from "../model/edits";
import type { Instance } from "../model/instance";
import { byId } from "./elements";

export class ShiftForm {
  private shown: { instance: Instance; vehicle: number } | null = null;
  private readonly fold = byId<HTMLDetailsElement>("shift-fold");
  private readonly from = byId<HTMLInputElement>("shift-from");
  private readonly until = byId<HTMLInputElement>("shift-until");

  constructor(change: (vehicle: number, from: Time, until: Time) => void) {
    byId("shift").addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.shown) change(this.shown.vehicle, read(this.from), read(this.until));
    });
  }

  show(instance: Instance | null, vehicle: number): void {
    this.fold.hidden = !instance || vehicle < 0;
    if (!instance || vehicle < 0) return;
    // What is being typed is left alone.
    if (this.shown?.instance === instance && this.shown.vehicle === vehicle) return;
    this.shown = { instance, vehicle };
    const [from, until] = shiftOf(instance, vehicle);
    for (const [input, value] of [[this.from, from], [this.until, until]] as const) {
      input.type = instance.times.clock ? "time" : "number";
      input.value = value === null ? "" : String(value);
    }
  }
}

function read(input: HTMLInputElement): Time {
  if (input.value === "") return null;
  return input.type === "time" ? input.value : Number(input.value);
}
