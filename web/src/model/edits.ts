/** Changes by hand to a plan or a problem; nothing is changed in place. */

import type { Load, PlanDocument, ProblemDocument, Time } from "./documents";
import type { Instance } from "./instance";
import { amountsOf, loadNames, roomOf, sumOf } from "./loads";
import { requestOf, sameOrigin } from "./locks";
import type { Routes } from "./routes";

/** For each vehicle its trips, as task indices. */
export type Trips = number[][][];

export function tripsIn(routes: Routes): Trips {
  return routes.vehicles.map((route) => route.trips.map((trip) => [...trip.tasks]));
}

export function planOf(instance: Instance, trips: Trips): PlanDocument {
  const { kind, vehicleNames, taskNames, numOrders } = instance;
  const routes = trips.map((own, vehicle) => {
    const name = vehicleNames[vehicle]!;
    if (kind === "hcvrp") return { vehicle: name, trips: own.map((trip) => trip.map((task) => taskNames[task]!)) };
    const stops = own.flat().map((task) => ({
      order: orderName(instance, task % numOrders),
      action: task < numOrders ? ("pickup" as const) : ("delivery" as const),
    }));
    return { vehicle: name, stops };
  });
  return { problem: kind, routes };
}

/** The stops that go together: a customer, or both ends of an order. */
export function together(instance: Instance, task: number): number[] {
  if (instance.kind === "hcvrp") return [task];
  const order = task % instance.numOrders;
  return [order, order + instance.numOrders];
}

/** Give a stop to another vehicle, there where it is the shortest detour; an order goes whole. */
export function moveTask(instance: Instance, trips: Trips, task: number, vehicle: number): Trips {
  const moved = together(instance, task);
  const left = trips.map((own) =>
    own.map((trip) => trip.filter((each) => !moved.includes(each))).filter((trip) => trip.length > 0),
  );
  const own = left[vehicle]!;
  if (instance.kind === "hcvrp") left[vehicle] = withCustomer(instance, own, vehicle, task);
  else left[vehicle] = [withOrder(instance, own[0] ?? [], vehicle, moved[0]!, moved[1]!)];
  return left;
}

/** A stop one place earlier (-1) or later (1); over the end of a trip into the next. */
export function shiftTask(trips: Trips, task: number, step: -1 | 1): Trips {
  return trips.map((own) => {
    const t = own.findIndex((trip) => trip.includes(task));
    const copy = own.map((trip) => [...trip]);
    const [trip, beside] = [copy[t], copy[t + step]];
    if (!trip) return copy;
    const at = trip.indexOf(task);
    const next = trip[at + step];
    if (next !== undefined) {
      trip[at] = next;
      trip[at + step] = task;
    } else if (beside) {
      trip.splice(at, 1);
      if (step > 0) beside.unshift(task);
      else beside.push(task);
    }
    return copy.filter((each) => each.length > 0);
  });
}

/** A stop right before another one of the same vehicle. */
export function placeTask(trips: Trips, task: number, before: number): Trips {
  if (task === before) return trips;
  return trips.map((own) => {
    if (!own.flat().includes(task) || !own.flat().includes(before)) return own;
    return own
      .map((trip) =>
        trip.filter((each) => each !== task).flatMap((each) => (each === before ? [task, each] : [each])),
      )
      .filter((trip) => trip.length > 0);
  });
}

/** From when to when a vehicle is on the road; null where it may be at any time. */
export function shiftOf(instance: Instance, vehicle: number): [Time, Time] {
  const [from, until] = instance.document.vehicles[vehicle]?.available ?? [null, null];
  return [from ?? null, until ?? null];
}

export function withShift(instance: Instance, vehicle: number, from: Time, until: Time): ProblemDocument {
  const { document } = instance;
  const change = <Row extends { available?: unknown }>(rows: Row[]): Row[] =>
    rows.map((row, i) => {
      if (i !== vehicle) return row;
      const { available: _, ...rest } = row;
      return (from === null && until === null ? rest : { ...rest, available: [from, until] }) as Row;
    });
  const changed: ProblemDocument =
    document.problem === "hcvrp"
      ? { ...document, vehicles: change(document.vehicles) }
      : { ...document, vehicles: change(document.vehicles) };
  return sameOrigin(changed, document);
}

/** What can be said about a stop: amounts and times as the file has them, null for none. */
export interface StopFacts {
  /** Of each kind of load. */
  amounts: (number | null)[];
  service: number | null;
  /** When it may be served; none for any time. */
  windows: [Time, Time][];
}

export function factsOf(instance: Instance, task: number): StopFacts {
  const { row, amount } = stopIn(instance, task);
  const list = Array.isArray(amount) ? amount : [amount];
  return {
    amounts: loadNames(instance.document).map((_, kind) => list[kind] ?? null),
    service: row.service ?? null,
    windows: (row.windows ?? []).map(([from, until]) => [from ?? null, until ?? null]),
  };
}

/** The problem with other facts about a stop. */
export function withFacts(instance: Instance, task: number, facts: StopFacts): ProblemDocument {
  const { document } = instance;
  const at = requestOf(instance, task);
  const amounts = loadOf(facts.amounts);
  const windows = facts.windows.filter(([from, until]) => from !== null || until !== null);
  const told = <Row extends object>(row: Row, amount: string | null): Row => {
    const { service: _, windows: __, ...rest } = row as Record<string, unknown>;
    if (amount !== null) delete rest[amount];
    if (amount !== null && amounts !== null) rest[amount] = amounts;
    if (facts.service !== null) rest["service"] = facts.service;
    if (windows.length > 0) rest["windows"] = windows;
    return rest as Row;
  };
  let changed: ProblemDocument;
  if (document.problem === "hcvrp") {
    const customers = document.customers.map((row, i) => (i === at ? told(row, "demand") : row));
    changed = { ...document, customers };
  } else {
    const end = task < instance.numOrders ? "pickup" : "delivery";
    const orders = document.orders.map((row, i) => {
      if (i !== at) return row;
      const { size: _, ...rest } = row;
      const size = amounts === null ? {} : { size: amounts };
      return { ...rest, ...size, [end]: told(row[end], null) };
    });
    changed = { ...document, orders };
  }
  return sameOrigin(changed, document);
}

/** As the file has it: a number where there is one kind, a list where there are several. */
function loadOf(amounts: (number | null)[]): Load {
  return amounts.length === 1 || amounts.every((amount) => amount === null) ? amounts[0]! : amounts;
}

function stopIn(instance: Instance, task: number): { row: { service?: number | null; windows?: [Time, Time][] | null }; amount: Load | undefined } {
  const { document, numOrders } = instance;
  if (document.problem === "hcvrp") {
    const row = document.customers[task]!;
    return { row, amount: row.demand };
  }
  const order = document.orders[task % numOrders]!;
  return { row: task < numOrders ? order.pickup : order.delivery, amount: order.size };
}

export function orderName(instance: Instance, order: number): string {
  return instance.taskNames[order]!.slice("pickup of ".length);
}

function withCustomer(instance: Instance, own: number[][], vehicle: number, task: number): number[][] {
  const room = roomOf(instance, vehicle);
  const width = room.length;
  // A trip of its own is what is left where no other has room for it.
  let best = { trip: own.length, at: 0, detour: Infinity };
  own.forEach((trip, t) => {
    const load = sumOf([...trip, task].map((each) => amountsOf(instance, each)), width);
    if (load.some((amount, kind) => amount > room[kind]! + 1e-9)) return;
    for (let at = 0; at <= trip.length; at++) {
      const detour = detourOf(instance, vehicle, trip, at, task, true);
      if (detour < best.detour) best = { trip: t, at, detour };
    }
  });
  const copy = [...own.map((trip) => [...trip]), ...(best.trip === own.length ? [[]] : [])];
  copy[best.trip]!.splice(best.at, 0, task);
  return copy;
}

function withOrder(instance: Instance, own: number[], vehicle: number, pickup: number, delivery: number): number[] {
  let best: { stops: number[]; detour: number } = { stops: [...own, pickup, delivery], detour: Infinity };
  for (let i = 0; i <= own.length; i++) {
    const first = detourOf(instance, vehicle, own, i, pickup, false);
    if (first >= best.detour) continue;
    const picked = [...own.slice(0, i), pickup, ...own.slice(i)];
    for (let j = i + 1; j <= picked.length; j++) {
      const detour = first + detourOf(instance, vehicle, picked, j, delivery, false);
      if (detour >= best.detour) continue;
      best = { stops: [...picked.slice(0, j), delivery, ...picked.slice(j)], detour };
    }
  }
  return best.stops;
}

/** How much farther it is along straight lines with a stop in between. */
function detourOf(instance: Instance, vehicle: number, stops: number[], at: number, task: number, home: boolean): number {
  const start: [number, number] = [instance.startX[vehicle]!, instance.startY[vehicle]!];
  const place = (each: number): [number, number] => [instance.taskX[each]!, instance.taskY[each]!];
  const before = at > 0 ? place(stops[at - 1]!) : start;
  const after = at < stops.length ? place(stops[at]!) : home ? start : null;
  const here = place(task);
  const far = (a: [number, number], b: [number, number]) => Math.hypot(a[0] - b[0], a[1] - b[1]);
  return far(before, here) + (after ? far(here, after) - far(before, after) : 0);
}
