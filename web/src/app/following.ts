/** The vehicles: their table, the one that is followed, and the stops that it has. */

import { plural } from "../model/format";
import { readRoutes, type Routes } from "../model/routes";
import { timeText } from "../model/times";
import { byId } from "../view/elements";
import { ShiftForm } from "../view/shiftForm";
import { StopListView } from "../view/stopList";
import { sorted, TableView, type SortKey } from "../view/table";
import { VehicleLock } from "../view/vehicleLock";
import type { Changes } from "./changes";
import type { Desk } from "./desk";
import type { HandWork } from "./handwork";
import { isLive } from "./runs";
import type { Stage } from "./stage";

export class Following {
  /** Set once there is one: it tells what is pointed at. */
  stage: Stage | null = null;
  private readonly table: TableView;
  private readonly stopList: StopListView;
  private readonly vehicleLock: VehicleLock;
  private readonly shiftForm: ShiftForm;

  constructor(
    private readonly desk: Desk,
    private readonly handWork: HandWork,
    changes: Changes,
  ) {
    this.table = new TableView(byId<HTMLTableElement>("table"), {
      sort: (key) => this.sort(key),
      point: (vehicle) => this.point(vehicle),
      pin: (vehicle) => this.pin(vehicle),
      take: (vehicle, task) => void changes.move(task, vehicle),
    });
    this.stopList = new StopListView(byId("stops-panel"), byId("stops"), byId("stops-of"), {
      choose: (vehicle) => {
        desk.pinned = vehicle;
        desk.pointed = -1;
        desk.askRender();
      },
      move: (task, vehicle) => void changes.move(task, vehicle),
      place: (task, before) => changes.place(task, before),
      change: (task, facts) => void changes.changeStop(task, facts),
      shift: (task, step) => changes.shift(task, step),
      lock: (task, locked) => void changes.lock(task, locked),
    });
    this.vehicleLock = new VehicleLock((vehicle, locked) => void changes.lockVehicle(vehicle, locked));
    this.shiftForm = new ShiftForm((vehicle, from, until) => void changes.changeShift(vehicle, from, until));
  }

  /** On paper stand the stops of who is followed, or of everybody. */
  setPaper(paper: boolean): void {
    this.stopList.paper = paper;
  }

  private get followed(): number {
    return this.desk.pointed >= 0 ? this.desk.pointed : this.desk.pinned;
  }

  point(vehicle: number): void {
    if (vehicle === this.desk.pointed) return;
    this.desk.pointed = vehicle;
    this.showFollowed();
  }

  /** Keep following it; once more, or beside all routes, lets go. */
  pin(vehicle: number): void {
    this.desk.pinned = vehicle === this.desk.pinned ? -1 : vehicle;
    if (this.desk.pinned < 0) this.desk.pointed = -1;
    this.showFollowed();
  }

  followNext(step: number): void {
    const routes = this.desk.routes();
    if (!routes) return;
    const order = sorted(routes, this.desk.otherRoutes(), this.desk.sorting);
    const at = order.indexOf(this.desk.pinned);
    const next = at < 0 ? (step > 0 ? 0 : order.length - 1) : (at + step + order.length) % order.length;
    this.desk.pointed = -1;
    this.desk.pinned = order[next]!;
    this.showFollowed();
    this.table.reveal(this.desk.pinned);
    const { finish, stops } = routes.vehicles[this.desk.pinned]!;
    this.desk.announce(`${routes.instance.vehicleNames[this.desk.pinned]}: ${plural(stops, "stop")}, done at ${timeText(routes.instance.times, finish)}`);
  }

  private showFollowed(): void {
    this.stage?.follow(this.followed);
    this.table.follow(this.followed, this.desk.pinned >= 0 && this.desk.pointed < 0);
    this.renderStops();
  }

  private renderStops(): void {
    const { shown } = this.desk;
    const routes = this.desk.construction.moment ? null : this.desk.routes();
    const editable = shown !== null && !isLive(shown) && this.desk.other === null;
    this.stopList.show(routes, this.desk.pinned, editable);
    byId("own-sheet").hidden = this.desk.pinned < 0 || !routes || routes.vehicles[this.desk.pinned]?.stops === 0;
    this.vehicleLock.show(editable && routes && routes.vehicles[this.desk.pinned]?.stops ? routes.instance : null, this.desk.pinned);
    this.shiftForm.show(editable && routes ? routes.instance : null, this.desk.pinned);
    byId("undo").hidden = !this.handWork.canUndo(shown);
  }

  private sort(key: SortKey): void {
    const again = this.desk.sorting.key === key;
    this.desk.sorting = { key, descending: again ? !this.desk.sorting.descending : key !== "vehicle" };
    this.desk.askRender();
  }

  /** The table, and what belongs to the vehicle that is followed. */
  render(planned: Routes | null): void {
    const other = this.desk.otherRoutes();
    const { instance, sorting, ink } = this.desk;
    const routes = planned ?? (instance && readRoutes(instance, { problem: instance.kind, routes: [] }));
    const order = routes ? sorted(routes, other, sorting) : [];
    this.table.show(routes && { routes, other, bare: planned === null, order, sorting, ink });
    this.showFollowed();
  }
}
