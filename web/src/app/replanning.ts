/** The rest of a day, planned from some moment on: who is where by then stays as it is. */

import type { Instance } from "../model/instance";
import type { PlanDocument } from "../model/documents";
import type { Client, ReplanAnswer, ReplanOrder } from "../service/client";
import { byId, field, make } from "../view/elements";
import { showRemarks } from "../view/faults";
import type { Desk } from "./desk";
import type { Planning } from "./planning";
import { isLive, type Run } from "./runs";

export class Replanning {
  private readonly fold = byId<HTMLDetailsElement>("replan-fold");
  private readonly list = byId("replan-out");
  /** Whose vehicles are listed. */
  private listed: Instance | null = null;
  /** Runs of the rest of a day, and what they were asked with. */
  private readonly asked = new Map<Run, { order: ReplanOrder; said: string[] }>();

  constructor(
    private readonly desk: Desk,
    private readonly client: Client,
    private readonly planning: Planning,
  ) {
    byId("replan").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.replan();
    });
  }

  /** Only days have a rest, and only plans that are there can be mended. */
  render(): void {
    const { shown, instance, construction } = this.desk;
    const possible = shown?.plan != null && !isLive(shown) && !construction.moment && instance!.times.day;
    this.fold.hidden = !possible;
    if (!possible || this.listed === instance) return;
    this.listed = instance;
    byId<HTMLFormElement>("replan").reset();
    for (const id of ["replan-now", "replan-back"]) {
      const input = byId<HTMLInputElement>(id);
      input.type = instance!.times.clock ? "time" : "number";
      input.step = instance!.times.clock ? "60" : "any";
    }
    this.list.replaceChildren(
      ...instance!.vehicleNames.map((name) => {
        const box = make("input");
        box.type = "checkbox";
        box.value = name;
        return make("label", "check", box, ` ${name}`);
      }),
    );
  }

  /** Tell what is new for whom, once the rest is planned. */
  async ended(run: Run): Promise<void> {
    const asked = this.asked.get(run);
    if (!asked || !run.plan) return;
    this.asked.delete(run);
    await this.desk.attempt("What is new for whom cannot be told", async () => {
      const { changes } = await this.client.replan({ ...asked.order, new_plan: run.plan! });
      if (this.desk.shown !== run) return;
      showRemarks([...asked.said, ...changes.map(({ vehicle, said }) => `${vehicle}: ${said}.`)]);
    });
  }

  private async replan(): Promise<void> {
    const { desk } = this;
    const { shown, instance } = desk;
    if (!shown?.plan || !instance || isLive(shown)) return;
    const order = this.order(instance, shown.plan);
    let rest: ReplanAnswer | null = null;
    await desk.attempt("The rest of the day cannot be planned", async () => {
      rest = await this.client.replan(order);
    });
    if (rest) await this.plan(rest, order);
  }

  private async plan({ problem, start, said, vehicles }: ReplanAnswer, order: ReplanOrder): Promise<void> {
    const told = [...said, ...vehicles.map((each) => `${each.vehicle}: ${each.said}.`)];
    if (!problem) return showRemarks(told);
    this.desk.take(problem, told);
    const run = await this.planning.solve(start);
    if (run) this.asked.set(run, { order, said });
    showRemarks(told);
  }

  private order(instance: Instance, plan: PlanDocument): ReplanOrder {
    const moment = (id: string) => (instance.times.clock ? field(id) : Number(field(id)));
    const out = Array.from(this.list.querySelectorAll<HTMLInputElement>("input:checked"), (box) => box.value);
    const order: ReplanOrder = { problem: instance.document, plan, now: moment("replan-now") };
    if (out.length > 0) order.out_of_service = out;
    if (field("replan-back") !== "") order.goods_back = moment("replan-back");
    return order;
  }
}
