/** The points that the trips of a vehicle pass, as the service drives them. */

import type { Instance, Point } from "./instance";
import type { VehicleRoute } from "./routes";

export interface Way {
  /** Where it comes from before its first stop: its start, and the depot. */
  readonly before: Point[];
  readonly stops: Point[];
  /** Where it goes after its last stop; null where it stays there. */
  readonly after: Point | null;
}

/** What is on board already was fetched where the vehicle begins, and it need not load for it. */
export function waysOf(instance: Instance, { vehicle, trips }: VehicleRoute): Way[] {
  const { kind, depot, ownStart, ownEnd, startX, startY, taskX, taskY } = instance;
  const aboard = new Set(instance.document.vehicles[vehicle]!.on_board?.map(String) ?? []);
  const home: Point = ownStart[vehicle] ?? [startX[vehicle]!, startY[vehicle]!];
  const isFetched = (task: number) =>
    kind === "omdcpdp" && task < instance.numOrders && aboard.has(String(instance.orderNames[task]));
  return trips.map((trip, number) => {
    const last = number === trips.length - 1;
    const before = number === 0 ? [home] : [depot ?? home];
    if (number === 0 && depot && ownStart[vehicle] && aboard.size === 0) before.push(depot);
    const stops = Array.from(trip.tasks, (task): Point => (isFetched(task) ? home : [taskX[task]!, taskY[task]!]));
    const after = trip.open ? null : ((last ? ownEnd[vehicle] : null) ?? depot ?? home);
    return { before, stops, after };
  });
}
