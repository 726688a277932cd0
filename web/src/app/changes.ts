/** What a dispatcher changes by hand: stops moved, locked and edited, shifts, and a way back. */

import { moveTask, placeTask, planOf, shiftTask, tripsIn, withFacts, withShift, type StopFacts } from "../model/edits";
import type { PlanDocument, ProblemDocument, Time } from "../model/documents";
import type { Instance } from "../model/instance";
import { lockTask, lockVehicle } from "../model/locks";
import type { Routes } from "../model/routes";
import { byId } from "../view/elements";
import { hideComplaint } from "../view/faults";
import type { Desk } from "./desk";
import type { HandWork } from "./handwork";
import { isLive, type Run } from "./runs";

export class Changes {
  constructor(
    private readonly desk: Desk,
    private readonly handWork: HandWork,
  ) {
    byId("undo").addEventListener("click", () => this.undo());
  }

  /** Right before another stop of the same vehicle. */
  place(task: number, before: number): void {
    void this.changePlan((instance, routes) => planOf(instance, placeTask(tripsIn(routes), task, before)));
  }

  /** One place earlier or later. */
  shift(task: number, step: -1 | 1): void {
    void this.changePlan((instance, routes) => planOf(instance, shiftTask(tripsIn(routes), task, step)));
  }

  private async changePlan(change: (instance: Instance, routes: Routes) => PlanDocument): Promise<void> {
    const run = this.desk.shown;
    if (!run?.routes || isLive(run)) return;
    await this.apply(run, run.instance!.document, change(run.instance!, run.routes));
  }

  /** To another vehicle, which is followed from then on: there the stop is. */
  async move(task: number, vehicle: number): Promise<void> {
    const { desk } = this;
    if (desk.routes()?.server[task] === vehicle) return;
    await this.changePlan((instance, routes) => planOf(instance, moveTask(instance, tripsIn(routes), task, vehicle)));
    if (desk.pinned < 0 || desk.shown?.routes?.server[task] !== vehicle) return;
    desk.pinned = vehicle;
    desk.askRender();
  }

  async changeStop(task: number, facts: StopFacts): Promise<void> {
    const run = this.desk.shown;
    if (!run?.plan || isLive(run)) return;
    await this.apply(run, withFacts(run.instance!, task, facts), run.plan);
  }

  async changeShift(vehicle: number, from: Time, until: Time): Promise<void> {
    const run = this.desk.shown;
    if (!run?.plan || isLive(run)) return;
    await this.apply(run, withShift(run.instance!, vehicle, from, until), run.plan);
  }

  /** Only the vehicle that has a stop may serve it from now on, or all of them. */
  async lock(task: number, locked: boolean): Promise<void> {
    const run = this.desk.shown;
    if (!run?.plan || isLive(run) || this.desk.pinned < 0) return;
    const { instance } = run;
    const vehicle = locked ? instance!.vehicleNames[this.desk.pinned]! : null;
    await this.apply(run, lockTask(instance!, task, vehicle), run.plan);
  }

  /** What a vehicle does now is how its route begins from now on; or it is free again. */
  async lockVehicle(vehicle: number, locked: boolean): Promise<void> {
    const run = this.desk.shown;
    if (!run?.plan || isLive(run)) return;
    const { instance } = run;
    const name = instance!.vehicleNames[vehicle];
    const route = run.plan.routes.find((each) => String(each.vehicle) === name) ?? null;
    await this.apply(run, lockVehicle(instance!, vehicle, locked ? route : null), run.plan);
  }

  private async apply(run: Run, document: ProblemDocument, plan: PlanDocument): Promise<void> {
    const done = await this.desk.attempt("This cannot be changed", async () => {
      this.desk.show(await this.handWork.change(run, document, plan, this.desk.pinned));
    });
    if (done) this.desk.checked();
    else this.desk.askRender();
  }

  /** When what is shown was changed last, by the page's clock. */
  get lastMade(): number {
    return this.handWork.lastMade(this.desk.shown);
  }

  undo(): void {
    const run = this.desk.shown;
    if (!run || !this.handWork.canUndo(run)) return;
    hideComplaint();
    const followed = this.handWork.followedBefore(run);
    this.desk.show(this.handWork.undo(run));
    this.desk.pinned = followed;
    this.desk.checked();
    this.desk.askRender();
  }
}
