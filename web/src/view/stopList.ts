/** The stops of one vehicle: what its driver does and when, and what can be done about it. */

import { plain } from "../model/format";
import type { Time } from "../model/documents";
import { factsOf, type StopFacts } from "../model/edits";
import type { Instance } from "../model/instance";
import { aboardAfter, loadNames, loadText } from "../model/loads";
import { allowedFor, liftOf, lockedStops } from "../model/locks";
import type { Routes, Trip } from "../model/routes";
import { minutesText, timeCell, timeText } from "../model/times";
import { make, setText } from "./elements";
import { factField, WindowFields } from "./windowFields";

export interface StopListEvents {
  /** Show another vehicle's; -1 for none. */
  choose: (vehicle: number) => void;
  move: (task: number, vehicle: number) => void;
  shift: (task: number, step: -1 | 1) => void;
  /** Right before another stop of the same vehicle. */
  place: (task: number, before: number) => void;
  lock: (task: number, locked: boolean) => void;
  change: (task: number, facts: StopFacts) => void;
}

/** How a stop that is dragged is called among other things that are. */
export const DRAGGED = "application/x-geopar-stop";

const COLUMNS = ["#", "Arrive", "Stop", "Wait", "Load"];

export class StopListView {
  private shown: { routes: Routes; vehicle: number; editable: boolean; open: number } | null = null;
  private open = -1;
  /** While the page is printed. */
  paper = false;
  private readonly choice: HTMLSelectElement;
  private readonly body = make("tbody");
  private readonly table = make("table", "stops");
  private readonly words = make("p", "note");
  private readonly onPaper = make("div", "on-paper");

  constructor(
    private readonly panel: HTMLElement,
    private readonly host: HTMLElement,
    choice: HTMLElement,
    private readonly events: StopListEvents,
  ) {
    this.choice = choice as HTMLSelectElement;
    this.choice.addEventListener("change", () => events.choose(Number(this.choice.value)));
    this.table.append(heading(), this.body);
    this.host.replaceChildren(this.words, this.table, this.onPaper);
    this.listenForDrags();
  }

  show(routes: Routes | null, vehicle: number, editable: boolean): void {
    this.panel.hidden = routes === null;
    this.onPaper.replaceChildren(...(routes && this.paper ? this.printed(routes, vehicle) : []));
    if (!routes) return;
    const before = this.shown;
    const open = this.open;
    if (before?.routes === routes && before.vehicle === vehicle && before.editable === editable && before.open === open) return;
    this.shown = { routes, vehicle, editable, open };
    this.setChoice(routes, vehicle);
    const route = routes.vehicles[vehicle];
    this.table.hidden = !route || route.stops === 0;
    setText(this.words, route ? (route.stops > 0 ? "" : "It stays at home.") : "Choose a vehicle to see where it is when.");
    const focused = (document.activeElement as HTMLElement | null)?.dataset["key"];
    this.body.replaceChildren(...(route ? this.rows(routes, vehicle, editable) : []));
    if (focused) this.body.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  /** The stops of one vehicle, or of all that have some. */
  private printed(routes: Routes, vehicle: number): HTMLElement[] {
    const some = routes.vehicles.filter((route) => route.stops > 0 && (vehicle < 0 || route.vehicle === vehicle));
    return some.flatMap(({ vehicle }) => [
      make("h3", "", routes.instance.vehicleNames[vehicle]!),
      make("table", "stops", heading(), make("tbody", "", ...this.rows(routes, vehicle, false))),
    ]);
  }

  private setChoice(routes: Routes, vehicle: number): void {
    const { vehicleNames } = routes.instance;
    const names = ["…", ...vehicleNames.map((name, i) => `${name} (${routes.vehicles[i]!.stops})`)];
    if (Array.from(this.choice.options, (option) => option.text).join("|") !== names.join("|")) {
      this.choice.replaceChildren(
        ...names.map((name, i) => {
          const option = make("option", "", name);
          option.value = String(i - 1);
          return option;
        }),
      );
    }
    this.choice.value = String(vehicle);
  }

  private rows(routes: Routes, vehicle: number, editable: boolean): HTMLElement[] {
    const { instance } = routes;
    const { trips } = routes.vehicles[vehicle]!;
    const rows: HTMLElement[] = [];
    let number = 0;
    for (const [t, trip] of trips.entries()) {
      if (trips.length > 1) rows.push(this.line(`Trip ${t + 1}, from ${timeText(instance.times, trip.begin, 4)}`));
      trip.tasks.forEach((task, i) => {
        const fixed = number < lockedStops(instance, vehicle);
        rows.push(this.row(routes, trip, i, ++number, editable, fixed));
        if (editable && task === this.open) rows.push(this.editor(routes, vehicle, task));
      });
      const word = trip.open ? "done" : t === trips.length - 1 ? "home" : "back";
      rows.push(this.line(`${word} ${timeText(instance.times, trip.end, 4)}`));
    }
    return rows;
  }

  private line(text: string): HTMLElement {
    const cell = make("td", "quiet", text);
    cell.colSpan = COLUMNS.length;
    return make("tr", "between", cell);
  }

  private row(routes: Routes, trip: Trip, at: number, number: number, editable: boolean, fixed: boolean): HTMLElement {
    const { instance } = routes;
    const { times } = instance;
    const task = trip.tasks[at]!;
    const told = instance.details[task] ?? {};
    const [id, own] = [instance.taskNames[task]!, Object.keys(told).find((key) => key.toLowerCase() === "name")];
    const name = own && told[own] !== id ? `${told[own]} · ${id}` : id;
    const rest = Object.entries(told).filter(([key]) => key !== own).map(([, value]) => value).join(", ");
    const stop = make("th", "");
    stop.scope = "row";
    const locked = allowedFor(instance, task)?.length === 1;
    if (editable) {
      const button = make("button", "stop", name);
      button.type = "button";
      button.title = locked ? "Only one vehicle may serve it" : "Move or lock it";
      button.dataset["key"] = `stop ${task}`;
      button.setAttribute("aria-expanded", String(task === this.open));
      button.addEventListener("click", () => this.toggle(task));
      stop.append(button);
    } else stop.append(name);
    if (locked || fixed) stop.append(make("span", "lock", "locked"));
    if (rest) stop.append(make("div", "quiet", rest));
    const waits = trip.waiting[at]! > 1e-9 ? minutesText(times, trip.waiting[at]!) : "";
    const row = make(
      "tr",
      "",
      make("td", "quiet", String(number)),
      make("td", "", timeCell(times, trip.arrival[at]!)),
      stop,
      make("td", "", waits),
      make("td", "load", aboardText(routes, trip, at)),
    );
    row.dataset["task"] = String(task);
    row.draggable = editable;
    return row;
  }

  /** Stops are dragged to another place here, or to a vehicle in the table of vehicles. */
  private listenForDrags(): void {
    const over = (event: Event) => (event.target as Element).closest<HTMLElement>("tr[data-task]");
    this.body.addEventListener("dragstart", (event) => {
      event.dataTransfer?.setData(DRAGGED, over(event)?.dataset["task"] ?? "");
    });
    this.body.addEventListener("dragover", (event) => {
      const row = over(event);
      if (!row || !event.dataTransfer?.types.includes(DRAGGED)) return;
      event.preventDefault();
      row.classList.add("target");
    });
    this.body.addEventListener("dragleave", (event) => over(event)?.classList.remove("target"));
    this.body.addEventListener("drop", (event) => {
      const row = over(event);
      const task = event.dataTransfer?.getData(DRAGGED);
      row?.classList.remove("target");
      if (!row || !task) return;
      event.preventDefault();
      this.events.place(Number(task), Number(row.dataset["task"]));
    });
  }

  private toggle(task: number): void {
    this.open = this.open === task ? -1 : task;
    const { shown } = this;
    if (shown) this.show(shown.routes, shown.vehicle, shown.editable);
  }

  /** To another vehicle, to another place, or to stay where it is. */
  private editor(routes: Routes, vehicle: number, task: number): HTMLElement {
    const { instance } = routes;
    const choice = make("select");
    instance.vehicleNames.forEach((name, i) => choice.append(new Option(name, String(i), false, i === vehicle)));
    choice.dataset["key"] = `move ${task}`;
    choice.addEventListener("change", () => this.events.move(task, Number(choice.value)));
    const button = (text: string, step: -1 | 1) => {
      const made = make("button", "", text);
      made.type = "button";
      made.dataset["key"] = `shift ${step} ${task}`;
      made.addEventListener("click", () => this.events.shift(task, step));
      return made;
    };
    const lock = make("input");
    lock.type = "checkbox";
    lock.checked = allowedFor(instance, task)?.join() === instance.vehicleNames[vehicle];
    const lift = lock.checked ? liftOf(instance, task) : "back";
    lock.disabled = lift === null;
    const words = lift === null ? ", as the file says" : lift === "open" ? "; otherwise any may" : "";
    lock.dataset["key"] = `lock ${task}`;
    lock.addEventListener("change", () => this.events.lock(task, lock.checked));
    const cell = make(
      "td",
      "",
      make("div", "row", make("label", "", "Vehicle ", choice), button("Earlier", -1), button("Later", 1)),
      make("label", "check", lock, ` Only ${instance.vehicleNames[vehicle]} may serve it${words}`),
    );
    cell.append(this.factsForm(instance, task, factsOf(instance, task)));
    cell.colSpan = COLUMNS.length;
    return make("tr", "edit", cell);
  }

  /** What the stop asks for: how much of each kind, how long, and when. */
  private factsForm(instance: Instance, task: number, facts: StopFacts): HTMLElement {
    const { times } = instance;
    const unit = times.known ? `, ${times.unit === "hours" ? "h" : times.unit === "minutes" ? "min" : "s"}` : "";
    const form = make("form", "fields four");
    const add = (name: string, label: string, value: Time) => {
      const field = factField(`${name} ${task}`, label, value, false);
      form.append(field.label);
      return field.read;
    };
    const names = loadNames(instance.document);
    const amounts = facts.amounts.map((amount, kind) => add(`amount ${kind}`, names[kind]!, amount));
    const service = add("service", `Takes${unit}`, facts.service);
    const windows = new WindowFields(task, facts.windows, times.clock);
    form.append(windows.element);
    const button = make("button", "wide", "Change the stop");
    button.type = "submit";
    button.dataset["key"] = `change ${task}`;
    form.append(button);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.events.change(task, {
        amounts: amounts.map((read) => read() as number | null),
        service: service() as number | null,
        windows: windows.read(),
      });
    });
    return form;
  }
}

function heading(): HTMLElement {
  const cells = COLUMNS.map((column) => {
    const cell = make("th", "", column);
    cell.scope = "col";
    return cell;
  });
  return make("thead", "", make("tr", "", ...cells));
}

/** Every kind of load on board when it leaves a stop, each in a line of its own. */
export function aboardText(routes: Routes, trip: Trip, at: number): string {
  const { document } = routes.instance;
  if (loadNames(document).length === 1) return plain(aboard(routes, trip, at));
  return loadText(document, aboardAfter(routes.instance, trip.tasks, at), "\n");
}

/** What is on board of the first kind when it leaves a stop. */
export function aboard(routes: Routes, trip: Trip, at: number): number {
  const { kind } = routes.instance;
  return kind === "hcvrp" ? (trip.load.at(-1) ?? 0) - trip.load[at]! : trip.load[at]!;
}
