/** What is under the pointer, in words beside it. */

import { number, plain } from "../model/format";
import type { Routes } from "../model/routes";
import { byId, make } from "../view/elements";

export function showTip(routes: Routes | null, vehicle: number, task: number, x: number, y: number): void {
  const tip = byId("tip");
  tip.hidden = routes === null || vehicle < 0;
  if (!routes || vehicle < 0) return;
  const { instance } = routes;
  const name = instance.vehicleNames[vehicle]!;
  const rows = task >= 0 ? stopLines(routes, vehicle, task) : vehicleLines(routes, vehicle);
  tip.replaceChildren(
    make("b", "", task >= 0 ? instance.taskNames[task]! : name),
    ...(task >= 0 ? [make("div", "quiet", name)] : []),
    ...rows.map((row) => make("div", "", row)),
  );
  const { offsetWidth, offsetHeight } = tip;
  const left = x + 16 + offsetWidth > window.innerWidth ? x - 12 - offsetWidth : x + 14;
  const top = Math.min(y + 14, window.innerHeight - offsetHeight - 6);
  tip.style.transform = `translate(${Math.max(4, left)}px, ${Math.max(4, top)}px)`;
}

export function hideTip(): void {
  byId("tip").hidden = true;
}

function vehicleLines(routes: Routes, vehicle: number): string[] {
  const route = routes.vehicles[vehicle]!;
  const { kind, origin } = routes.instance;
  const trips = kind === "hcvrp" ? `${route.trips.length} trips, ` : "";
  const unit = origin ? (kind === "hcvrp" ? " h" : " km") : "";
  return [
    `${trips}${route.stops} stops`,
    `done at ${number(route.finish)}${unit}, ${Math.round((100 * route.finish) / (routes.latest || 1))} % of the last`,
  ];
}

function stopLines(routes: Routes, vehicle: number, task: number): string[] {
  const { instance } = routes;
  const hcvrp = instance.kind === "hcvrp";
  const unit = instance.origin ? (hcvrp ? " h" : " km") : "";
  for (const [t, trip] of routes.vehicles[vehicle]!.trips.entries()) {
    const at = trip.tasks.indexOf(task);
    if (at < 0) continue;
    const arrival = `arrives ${number(trip.arrival[at]!)}${unit}`;
    const capacity = plain(instance.capacity[vehicle]!);
    return hcvrp
      ? [
          `${arrival}, trip ${t + 1}, stop ${at + 1} of ${trip.tasks.length}`,
          `demand ${plain(instance.demand[task]!)}, trip carries ${plain(trip.load.at(-1)!)} of ${capacity}`,
        ]
      : [`${arrival}, stop ${at + 1} of ${trip.tasks.length}`, `${trip.load[at]} of ${capacity} aboard after`];
  }
  return [];
}
