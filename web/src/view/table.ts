/** The table of vehicles: the same facts as the pictures, for eyes, keyboards and screen readers. */

import { change, count, number, plain } from "../model/format";
import { carriedBy, loadNames, roomOf } from "../model/loads";
import { lockedStops } from "../model/locks";
import type { Routes } from "../model/routes";
import { spanText, timeCell } from "../model/times";
import { make, setText } from "./elements";
import type { Ink } from "./ink";
import { DRAGGED } from "./stopList";

export type SortKey = "vehicle" | "finish" | "trips" | "stops" | "distance" | "arrivals" | "load" | "other" | "change" | "capacity" | "speed";

export interface Sorting {
  key: SortKey;
  descending: boolean;
}

export interface TableScene {
  routes: Routes;
  other: Routes | null;
  /** Before there is a plan: what the vehicles are. */
  bare: boolean;
  order: number[];
  sorting: Sorting;
  ink: Ink;
}

export interface TableEvents {
  sort: (key: SortKey) => void;
  point: (vehicle: number) => void;
  pin: (vehicle: number) => void;
  /** A stop was dragged to a vehicle. */
  take: (vehicle: number, task: number) => void;
}

interface Column {
  key: SortKey;
  head: string;
  title: string;
  cell: (scene: TableScene, vehicle: number) => string;
}

const MOST_ROWS = 400;

export class TableView {
  private columns = "";
  private rows: HTMLTableRowElement[] = [];
  private readonly head = make("thead");
  private readonly body = make("tbody");
  private readonly note = make("caption", "quiet");
  private shown: number[] = [];
  private followed: HTMLTableRowElement | null = null;

  constructor(
    readonly host: HTMLTableElement,
    private readonly events: TableEvents,
  ) {
    host.replaceChildren(this.note, this.head, this.body);
    const at = (event: Event) => {
      const row = (event.target as Element).closest("tbody tr");
      return row ? (this.shown[this.rows.indexOf(row as HTMLTableRowElement)] ?? -1) : -1;
    };
    this.body.addEventListener("pointerover", (event) => events.point(at(event)));
    this.body.addEventListener("focusin", (event) => events.point(at(event)));
    this.body.addEventListener("focusout", () => events.point(-1));
    this.body.addEventListener("pointerleave", () => events.point(-1));
    this.body.addEventListener("click", (event) => events.pin(at(event)));
    const row = (event: Event) => (event.target as Element).closest("tbody tr");
    this.body.addEventListener("dragover", (event) => {
      if (!event.dataTransfer?.types.includes(DRAGGED)) return;
      event.preventDefault();
      row(event)?.classList.add("target");
    });
    this.body.addEventListener("dragleave", (event) => row(event)?.classList.remove("target"));
    this.body.addEventListener("drop", (event) => {
      row(event)?.classList.remove("target");
      const task = event.dataTransfer?.getData(DRAGGED);
      if (!task || at(event) < 0) return;
      event.preventDefault();
      events.take(at(event), Number(task));
    });
  }

  show(scene: TableScene | null): void {
    this.host.hidden = scene === null;
    if (!scene) return;
    const columns = columnsFor(scene);
    this.setHead(scene, columns);
    this.shown = scene.order.slice(0, MOST_ROWS);
    const left = scene.order.length - this.shown.length;
    setText(this.note, left > 0 ? `the first ${MOST_ROWS} of ${count(scene.order.length)} vehicles` : "");
    while (this.rows.length < this.shown.length) this.rows.push(this.newRow(columns));
    while (this.rows.length > this.shown.length) this.rows.pop()!.remove();
    this.shown.forEach((vehicle, i) => this.fill(this.rows[i]!, scene, columns, vehicle));
  }

  follow(vehicle: number, pinned: boolean): void {
    const row = this.rows[this.shown.indexOf(vehicle)] ?? null;
    if (row !== this.followed) {
      this.mark(this.followed, false, false);
      this.followed = row;
    }
    this.mark(row, true, pinned);
  }

  private mark(row: HTMLTableRowElement | null, followed: boolean, pinned: boolean): void {
    row?.classList.toggle("followed", followed);
    row?.querySelector("button")!.setAttribute("aria-pressed", String(pinned));
  }

  /** Bring a vehicle's row into view. */
  reveal(vehicle: number): void {
    this.rows[this.shown.indexOf(vehicle)]?.scrollIntoView({ block: "nearest" });
  }

  private setHead(scene: TableScene, columns: Column[]): void {
    const wanted = columns.map((column) => column.head).join("|");
    if (wanted !== this.columns) {
      this.columns = wanted;
      const row = make("tr");
      for (const column of columns) {
        const button = make("button", "", column.head);
        button.type = "button";
        button.title = column.title;
        button.addEventListener("click", () => this.events.sort(column.key));
        const cell = make("th", "", button);
        cell.scope = "col";
        row.append(cell);
      }
      this.head.replaceChildren(row);
      this.rows = [];
      this.body.replaceChildren();
    }
    const cells = this.head.querySelectorAll("th");
    columns.forEach((column, i) => {
      const { key, descending } = scene.sorting;
      const state = column.key !== key ? "none" : descending ? "descending" : "ascending";
      cells[i]!.setAttribute("aria-sort", state);
    });
  }

  private newRow(columns: Column[]): HTMLTableRowElement {
    const row = make("tr");
    const button = make("button", "name", make("span", "swatch"), make("span", "text"), make("span", "lock"));
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    const head = make("th", "", button);
    head.scope = "row";
    row.append(head, ...columns.slice(1).map(() => make("td")));
    this.body.append(row);
    return row;
  }

  private fill(row: HTMLTableRowElement, scene: TableScene, columns: Column[], vehicle: number): void {
    const [swatch, text, lock] = row.querySelectorAll("span");
    swatch!.style.background = scene.ink.vehicles[vehicle]!;
    const { instance } = scene.routes;
    setText(text!, instance.vehicleNames[vehicle]!);
    setText(lock!, lockedStops(instance, vehicle) > 0 ? "locked" : "");
    lock!.hidden = lock!.textContent === "";
    columns.slice(1).forEach((column, i) => {
      const cell = row.cells[i + 1]!;
      setText(cell, column.cell(scene, vehicle));
      cell.className = column.key === "load" && cell.textContent!.includes("\n") ? "load" : "";
      if (column.key !== "finish") return;
      const { first, latest, vehicles } = scene.routes;
      const share = Math.max(0, (vehicles[vehicle]!.finish - first) / (latest - first || 1));
      cell.className = "share";
      cell.style.setProperty("--own", scene.ink.vehicles[vehicle]!);
      cell.style.setProperty("--share", `${(share * 100).toFixed(1)}%`);
    });
  }
}

function columnsFor(scene: TableScene): Column[] {
  const { kind, origin, times } = scene.routes.instance;
  const trips = kind === "hcvrp";
  const time = times.timeWord && !times.clock ? `, ${times.timeWord}` : "";
  // Who stays at home is home at no time.
  const told = (value: number) => (value > 0 || !times.known ? timeCell(times, value) : "–");
  const route = (each: TableScene, vehicle: number) => each.routes.vehicles[vehicle]!;
  const name: Column = { key: "vehicle", head: "Vehicle", title: "By name", cell: () => "" };
  const finish = (head: string): Column => ({
    key: "finish",
    head,
    title: trips || times.day ? "When it is done" : "How far it drives to its last stop",
    cell: (each, vehicle) => told(route(each, vehicle).finish),
  });
  if (scene.bare) {
    const { speed } = scene.routes.instance;
    const columns: Column[] = [
      name,
      {
        key: "capacity",
        head: "Capacity",
        title: trips ? "What it can carry" : "Orders on board at once",
        cell: (each, vehicle) => perKind(each.routes, (kind) => room(roomOf(each.routes.instance, vehicle)[kind]!)),
      },
      {
        key: "speed",
        head: origin ? "Speed, km/h" : "Speed",
        title: "How fast it is",
        cell: (_, vehicle) => number(speed[vehicle]!, 4),
      },
    ];
    return trips || times.day ? columns : columns.slice(0, 2);
  }
  if (scene.other) {
    const other = (each: TableScene, vehicle: number) => each.other!.vehicles[vehicle]?.finish ?? 0;
    return [
      name,
      finish(`A${time}`),
      {
        key: "other",
        head: `B${time}`,
        title: "When it is done in the other run",
        cell: (each, vehicle) => told(other(each, vehicle)),
      },
      {
        key: "change",
        head: "B to A",
        title: "How A differs from B",
        cell: (each, vehicle) => change(other(each, vehicle), route(each, vehicle).finish),
      },
    ];
  }
  const columns: Column[] = [
    name,
    finish(`${trips || times.day ? (times.clock ? "Home by" : "Home") : "Driven"}${time}`),
    {
      key: "trips",
      head: "Trips",
      title: "How often it leaves the depot",
      cell: (each, vehicle) => count(route(each, vehicle).trips.length),
    },
    {
      key: "stops",
      head: "Stops",
      title: "How many tasks it serves",
      cell: (each, vehicle) => count(route(each, vehicle).stops),
    },
    {
      key: "distance",
      head: origin ? "Km" : "Distance",
      title: "How far it drives",
      cell: (each, vehicle) => number(route(each, vehicle).distance, 4),
    },
    {
      key: "arrivals",
      head: `Arrivals${time}`,
      title: "The sum of its deliveries' arrivals: its part of the objective",
      cell: (each, vehicle) => spanText(times, route(each, vehicle).arrivals, 4),
    },
    {
      key: "load",
      head: trips ? "Load" : "Aboard",
      title: trips ? "All that it carries" : "The most orders on board at once, of how many fit",
      cell: (each, vehicle) => {
        const { instance } = each.routes;
        const own = route(each, vehicle);
        const carried = carriedBy(instance, own.trips.map((trip) => trip.tasks));
        // One kind is told by the schedule.
        if (carried.length === 1) carried[0] = own.load;
        const most = roomOf(instance, vehicle);
        return perKind(each.routes, (kind) => plain(carried[kind]!) + (trips ? "" : `/${room(most[kind]!)}`));
      },
    },
  ];
  // One distance takes one time where vehicles have no speed: the distance is the finish.
  const left = trips ? ["arrivals"] : times.day ? ["trips"] : ["trips", "distance"];
  return columns.filter((column) => !left.includes(column.key));
}

/** What is to be said of each kind of load, each in a line with its name where there are several. */
function perKind(routes: Routes, said: (kind: number) => string): string {
  const names = loadNames(routes.instance.document);
  return names.map((name, kind) => (names.length > 1 ? `${name} ` : "") + said(kind)).join("\n");
}

function room(capacity: number): string {
  return capacity < 1e12 ? plain(capacity) : "any";
}

/** Vehicles in the order that the table's head asks for. */
export function sorted(routes: Routes, other: Routes | null, sorting: Sorting): number[] {
  const value = (vehicle: number): number => {
    const route = routes.vehicles[vehicle]!;
    const second = other?.vehicles[vehicle]?.finish ?? 0;
    switch (sorting.key) {
      case "vehicle":
        return vehicle;
      case "finish":
        return route.finish;
      case "trips":
        return route.trips.length;
      case "stops":
        return route.stops;
      case "distance":
        return route.distance;
      case "arrivals":
        return route.arrivals;
      case "load":
        return route.load;
      case "capacity":
        return routes.instance.capacity[vehicle]!;
      case "speed":
        return routes.instance.speed[vehicle]!;
      case "other":
        return second;
      case "change":
        return route.finish - second;
    }
  };
  const sign = sorting.descending ? -1 : 1;
  return routes.vehicles.map((_, i) => i).sort((a, b) => sign * (value(a) - value(b)) || a - b);
}
