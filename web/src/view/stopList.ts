/** The stops of the vehicle that is followed: what its driver does, in words. */

import type { Routes } from "../model/routes";
import { timeText } from "../model/times";
import { make, setText } from "./elements";

export class StopListView {
  private shown: { routes: Routes; vehicle: number } | null = null;

  constructor(
    private readonly panel: HTMLElement,
    private readonly head: HTMLElement,
    private readonly list: HTMLElement,
  ) {}

  show(routes: Routes | null, vehicle: number): void {
    const route = routes?.vehicles[vehicle];
    this.panel.hidden = !route || route.stops === 0;
    if (!routes || !route || route.stops === 0) return;
    if (this.shown?.routes === routes && this.shown.vehicle === vehicle) return;
    this.shown = { routes, vehicle };
    setText(this.head, `Stops of ${routes.instance.vehicleNames[vehicle]}`);
    this.list.replaceChildren(
      ...route.trips.flatMap((trip, t) =>
        [...trip.tasks].map((task, i) => this.row(routes, t, task, trip.arrival[i]!, trip.departure[i]!)),
      ),
    );
  }

  private row(routes: Routes, trip: number, task: number, arrival: number, leaves: number): HTMLElement {
    const { instance } = routes;
    const { times } = instance;
    const until = times.day && leaves > arrival ? ` to ${timeText(times, leaves, 4)}` : "";
    const told = Object.values(instance.details[task] ?? {}).join(", ");
    const row = make(
      "li",
      "",
      make("span", "quiet", `${timeText(times, arrival, 4)}${until} `),
      make("b", "", instance.taskNames[task]!),
    );
    if (told) row.append(make("span", "quiet", ` ${told}`));
    if (trip > 0) row.title = `trip ${trip + 1}`;
    return row;
  }
}
