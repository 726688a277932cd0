/** Maps and schedules: of the plan that is shown, and of another one beside it. */

import type { Routes } from "../model/routes";
import { Camera } from "../view/camera";
import { byId, make, setText } from "../view/elements";
import { showLegend } from "../view/legend";
import { MapView } from "../view/map";
import { ScheduleView } from "../view/schedule";
import { sorted } from "../view/table";
import type { Desk } from "./desk";
import { hideTip, showTip } from "./tip";
import { axisWords, mapWords, runWords, scheduleWords } from "./words";

export interface StageEvents {
  point: (vehicle: number) => void;
  pin: (vehicle: number) => void;
}

/** How wide paper is, in pixels: letters are as large there as the text beside them. */
const PAPER = 780;

export class Stage {
  private readonly camera = new Camera();
  private readonly cameraB = new Camera();
  readonly map: MapView;
  readonly mapB: MapView;
  readonly schedule: ScheduleView;
  readonly scheduleB: ScheduleView;

  constructor(
    private readonly desk: Desk,
    events: StageEvents,
  ) {
    const pointed = (routes: Routes | null, vehicle: number, task: number, x: number, y: number) => {
      events.point(vehicle);
      if (vehicle >= 0) showTip(routes, vehicle, task, x, y);
      else hideTip();
    };
    const mapEvents = (routes: () => Routes | null) => ({
      point: (found: { vehicle: number; task: number } | null, x: number, y: number) =>
        pointed(routes(), found?.vehicle ?? -1, found?.task ?? -1, x, y),
      pin: events.pin,
    });
    const scheduleEvents = (routes: () => Routes | null) => ({
      point: (vehicle: number, task: number, x: number, y: number) => pointed(routes(), vehicle, task, x, y),
      pin: events.pin,
    });
    const [a, b] = [() => desk.routes(), () => desk.other?.routes ?? null];
    this.map = new MapView(byId("map"), this.camera, mapEvents(a));
    this.mapB = new MapView(byId("map-b"), this.cameraB, mapEvents(b));
    this.schedule = new ScheduleView(byId("schedule"), scheduleEvents(a));
    this.scheduleB = new ScheduleView(byId("schedule-b"), scheduleEvents(b));
    this.tieCameras();
    byId("zoom-in").addEventListener("click", () => this.map.zoomBy(1.5));
    byId("zoom-out").addEventListener("click", () => this.map.zoomBy(1 / 1.5));
    byId("zoom-fit").addEventListener("click", () => this.fit());
  }

  /** Show one vehicle among all; -1 for none. */
  follow(vehicle: number): void {
    for (const view of [this.map, this.mapB, this.schedule, this.scheduleB]) view.follow(vehicle);
  }

  /** Two runs of one instance are looked at through one camera. */
  private tieCameras(): void {
    const tie = (from: Camera, to: Camera) =>
      from.onChange(() => {
        const same = this.desk.other?.instance === this.desk.instance;
        if (same && to.frame !== from.frame && !from.fitted) to.take(from);
      });
    tie(this.camera, this.cameraB);
    tie(this.cameraB, this.camera);
  }

  fit(): void {
    this.map.fit();
    this.mapB.fit();
  }

  /** For paper all of it is drawn anew, as wide as the page. */
  setPaper(paper: boolean): void {
    const beside = this.desk.other !== null;
    const map = beside ? { width: PAPER / 2, height: PAPER / 2 } : { width: PAPER, height: PAPER * 0.6 };
    for (const view of [this.map, this.mapB]) view.setPaper(paper ? map : null);
    for (const view of [this.schedule, this.scheduleB]) view.setPaper(paper ? PAPER : null);
  }

  render(routes: Routes | null): void {
    const { instance, ink, tiles, other } = this.desk;
    const { moment } = this.desk.construction;
    this.map.show(instance && { instance, routes, moment, ink, tiles });
    showLegend(instance, routes !== null, ink);
    byId("map").setAttribute("aria-label", instance ? mapWords(instance, routes) : "Map, empty");
    byId("pane-b").hidden = byId("schedule-b").hidden = !other;
    byId("caption-a").hidden = !other;
    const inkB = this.desk.inkOf(other?.instance ?? null);
    if (other) {
      setCaption("caption-a", "A", runWords(this.desk.shown));
      setCaption("caption-b", "B", runWords(other));
      this.mapB.show(
        other.instance && { instance: other.instance, routes: other.routes, moment: null, ink: inkB, tiles },
      );
    }
    const tied = this.desk.otherRoutes();
    const rows = Math.max(instance?.vehicleNames.length ?? 0, other?.instance?.vehicleNames.length ?? 0);
    if (rows > 0) byId("schedules").style.setProperty("--rows", `${ScheduleView.height(rows)}px`);
    const order = routes ? sorted(routes, tied, this.desk.sorting) : [];
    let reach = moment ? (this.desk.construction.reach || 1) : (this.desk.shown?.reach ?? 0);
    if (tied) reach = Math.max(reach, this.desk.other!.reach);
    this.schedule.show(routes && { routes, order, reach, growing: moment !== null, ink });
    byId("schedule").setAttribute("aria-label", routes ? scheduleWords(routes) : "Schedule, empty");
    const otherRoutes = other?.routes ?? null;
    const all = otherRoutes?.vehicles.map((_, i) => i) ?? [];
    this.scheduleB.show(
      otherRoutes && {
        routes: otherRoutes,
        order: tied ? order : all,
        reach: tied ? reach : other!.reach,
        growing: false,
        ink: inkB,
      },
    );
    setText(byId("schedule-unit"), instance ? axisWords(instance) : "");
  }
}

function setCaption(id: string, mark: string, words: string): void {
  const caption = byId(id);
  if (caption.textContent === mark + words) return;
  caption.replaceChildren(make("b", "", mark), words);
}
