/** Which solver plans, and for how long. */

import { byId, field, make, setText } from "../view/elements";
import type { Desk } from "./desk";

export class SolverChoice {
  constructor(private readonly desk: Desk) {
    byId("kind").addEventListener("change", () => this.list());
    byId("solver").addEventListener("change", () => this.describe());
  }

  get solver(): string {
    return field("solver");
  }

  get limit(): number {
    return Number(field("limit"));
  }

  get seed(): number {
    return Number(field("seed"));
  }

  list(): void {
    if (!this.desk.about) return;
    const kind = this.desk.instance?.kind ?? field("kind");
    const select = byId<HTMLSelectElement>("solver");
    const before = select.value || this.desk.about.default;
    select.replaceChildren();
    for (const solver of this.desk.about.solvers.filter((each) => each.problems.includes(kind))) {
      const option = make("option", "", solver.available ? solver.name : `${solver.name} (not here)`);
      option.value = solver.name;
      option.disabled = !solver.available;
      option.title = solver.hint ?? "";
      select.append(option);
    }
    const names = Array.from(select.options, (option) => option.value);
    select.value = names.includes(before) ? before : names.includes(this.desk.about.default) ? this.desk.about.default : names[0]!;
    const limit = this.desk.about.limits.time_limit;
    if (limit !== undefined) byId<HTMLInputElement>("limit").max = String(limit);
    this.describe();
  }

  private describe(): void {
    const solver = this.desk.about?.solvers.find((each) => each.name === field("solver"));
    if (!solver) return;
    setText(byId("solver-about"), `${solver.description[0]!.toUpperCase()}${solver.description.slice(1)}.`);
    byId<HTMLInputElement>("limit").disabled = !solver.anytime;
  }
}
