/** The rest of a day, planned from some moment on: who is where by then stays as it is. */

import type { Instance } from "../model/instance";
import type { PlanDocument } from "../model/documents";
import { ServiceError, type Client, type ReplanAnswer, type ReplanOrder } from "../service/client";
import { byId, field, make } from "../view/elements";
import { showComplaint, showRemarks } from "../view/faults";
import type { Desk } from "./desk";
import type { Planning } from "./planning";
import { fleetOf, restOf, setRestOf } from "./rests";
import { isGone, isLive, type Run } from "./runs";

export class Replanning {
  private readonly fold = byId<HTMLDetailsElement>("replan-fold");
  private readonly list = byId("replan-out");
  /** Whose vehicles are listed. */
  private listed: Instance | null = null;
  /** Runs of the rest of a day, and what they were asked with. */
  private readonly asked = new Map<Run, ReplanOrder>();
  /** The run of which it was told what is new for whom. */
  private told: Run | null = null;

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
    if (shown !== this.told && !(shown && isLive(shown))) {
      this.told = shown;
      if (shown?.plan) void this.tell(shown);
    }
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

  /** What is new for whom; nothing where the plan of the morning is gone. */
  private async tell(run: Run): Promise<void> {
    try {
      const order = await this.orderOf(run);
      if (!order) return;
      this.asked.set(run, order);
      const { said, changes } = await this.client.replan({ ...order, new_plan: run.plan! });
      if (this.desk.shown !== run) return;
      showRemarks([...said, ...changes.map((each) => `${each.vehicle}: ${each.said}.`)]);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (isGone(error)) return;
      const { message, faults } = error;
      showComplaint({ title: "What is new for whom cannot be told", message, faults });
    }
  }

  /** What was asked, with the day as it was then, or as the service has it. */
  private async orderOf(run: Run): Promise<ReplanOrder | null> {
    const known = this.asked.get(run);
    const rest = restOf(run.instance!.document);
    if (known || !rest?.job || !run.kept) return known ?? null;
    const { job, vehicles: _, ...asked } = rest;
    const [problem, { result }] = await Promise.all([this.client.problem(job), this.client.job(job)]);
    return result && { ...asked, problem, plan: result.plan };
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
    if (rest) await this.plan(rest, order, shown.kept ? shown.id : null, fleetOf(instance));
  }

  private async plan(
    rest: ReplanAnswer,
    order: ReplanOrder,
    job: string | null,
    fleet: readonly string[],
  ): Promise<void> {
    const { problem, start, said, vehicles } = rest;
    const told = [...said, ...vehicles.map((each) => `${each.vehicle}: ${each.said}.`)];
    if (!problem) return showRemarks(told);
    const { problem: _, plan: __, ...asked } = order;
    setRestOf(problem, { job, ...asked, vehicles: [...fleet] });
    this.desk.take(problem, told);
    const run = await this.planning.solve(start);
    if (run) this.asked.set(run, order);
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
