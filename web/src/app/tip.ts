/** What is under the pointer, in words beside it. */

import { plain, plural } from "../model/format";
import { aboardAfter, amountsOf, loadNames, loadText, roomOf, sumOf } from "../model/loads";
import type { Routes } from "../model/routes";
import { timeText } from "../model/times";
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
  const { kind, times } = routes.instance;
  const trips = kind === "hcvrp" ? `${plural(route.trips.length, "trip")}, ` : "";
  const share = (route.finish - routes.first) / (routes.latest - routes.first || 1);
  return [
    `${trips}${plural(route.stops, "stop")}`,
    `done at ${timeText(times, route.finish)}, ${Math.round(100 * Math.max(0, share))} % of the last`,
  ];
}

function stopLines(routes: Routes, vehicle: number, task: number): string[] {
  const { instance } = routes;
  const hcvrp = instance.kind === "hcvrp";
  for (const [t, trip] of routes.vehicles[vehicle]!.trips.entries()) {
    const at = trip.tasks.indexOf(task);
    if (at < 0) continue;
    const { times } = instance;
    const arrival = `arrives ${timeText(times, trip.arrival[at]!)}`;
    const { document } = instance;
    const amounts = Array.from(trip.tasks, (each) => amountsOf(instance, each));
    const [own, room] = [amounts[at]!, roomOf(instance, vehicle)];
    const carried = hcvrp ? sumOf(amounts, own.length) : aboardAfter(instance, trip.tasks, at);
    // One kind is told as it always was, by the schedule.
    if (own.length === 1) carried[0] = hcvrp ? trip.load.at(-1)! : trip.load[at]!;
    const full = loadNames(document).map((name, kind) => {
      const limit = room[kind]! < 1e12 ? plain(room[kind]!) : "any amount";
      return `${own.length > 1 ? `${name} ` : ""}${plain(carried[kind]!)} of ${limit}`;
    });
    const wait = trip.waiting[at]! > 0 ? `, served at ${timeText(times, trip.arrival[at]! + trip.waiting[at]!)}` : "";
    const leaves = times.day ? [`leaves ${timeText(times, trip.departure[at]!)}${wait}`] : [];
    const told = Object.values(instance.details[task] ?? {});
    const more = [...leaves, ...told];
    return hcvrp
      ? [
          `${arrival}, trip ${t + 1}, stop ${at + 1} of ${trip.tasks.length}`,
          ...leaves,
          `demand ${loadText(document, own)}`,
          `trip carries ${full.join(", ")}`,
          ...told,
        ]
      : [`${arrival}, stop ${at + 1} of ${trip.tasks.length}`, `${full.join(", ")} aboard after`, ...more];
  }
  return [];
}
