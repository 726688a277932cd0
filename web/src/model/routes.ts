/** A plan with its times: who is where when, with how much aboard. */

import type { PlanDocument, RouteDocument, VehicleSchedule } from "./documents";
import { taskKey, type Instance } from "./instance";

/** From the start (HCVRP: the depot, and back to it unless `open`) along some tasks. */
export interface Trip {
  readonly tasks: Int32Array;
  /** When the vehicle reaches each task. */
  readonly arrival: Float64Array;
  /** Aboard after each task; HCVRP counts what was handed out so far. */
  readonly load: Float64Array;
  /** How long it waits at each task before it is served. */
  readonly waiting: Float64Array;
  /** When it goes on from each task. */
  readonly departure: Float64Array;
  readonly begin: number;
  readonly end: number;
  readonly open: boolean;
}

export interface VehicleRoute {
  readonly vehicle: number;
  readonly trips: Trip[];
  readonly stops: number;
  readonly distance: number;
  readonly finish: number;
  /** The sum of its deliveries' arrivals; 0 for HCVRP. */
  readonly arrivals: number;
  /** All that it carries, or the most orders aboard at once. */
  readonly load: number;
}

export interface Routes {
  readonly instance: Instance;
  /** In the order of the instance's vehicles, all of them. */
  readonly vehicles: VehicleRoute[];
  /** The vehicle of each task, or -1. */
  readonly server: Int32Array;
  /** How many customers or orders are served by somebody, and how many by nobody. */
  readonly served: number;
  readonly leftOut: number;
  readonly latest: number;
  /** When the first vehicle begins: 0 but on working days. */
  readonly first: number;
  /** The makespan, or the sum of the deliveries' arrivals. */
  readonly objective: number;
}

/** Working days are driven as the service's schedule says, all others along straight lines. */
export function readRoutes(
  instance: Instance,
  plan: PlanDocument,
  schedule: VehicleSchedule[] = [],
): Routes {
  const trips: number[][][] = instance.vehicleNames.map(() => []);
  for (const route of plan.routes) {
    const vehicle = instance.vehicleIndex.get(String(route.vehicle));
    if (vehicle !== undefined) trips[vehicle] = tripsOf(instance, route);
  }
  if (!instance.times.day || schedule.length === 0) return routesOf(instance, trips);
  const own = new Map(schedule.map((each) => [String(each.vehicle), each]));
  const vehicles = trips.map((tasks, vehicle) =>
    scheduled(instance, vehicle, tasks, own.get(instance.vehicleNames[vehicle]!)),
  );
  return gathered(instance, vehicles, plan.objective);
}

function tripsOf(instance: Instance, route: RouteDocument): number[][] {
  const keys = route.stops
    ? [route.stops.map((stop) => taskKey(stop.order, stop.action))]
    : (route.trips ?? []).map((trip) => trip.map(String));
  return keys
    .map((trip) => trip.map((key) => instance.taskIndex.get(key) ?? -1).filter((task) => task >= 0))
    .filter((trip) => trip.length > 0);
}

/** From task indices: for each vehicle its trips. In `open` vehicles the last trip is not over. */
export function routesOf(
  instance: Instance,
  trips: number[][][],
  open: (vehicle: number) => boolean = () => instance.kind === "omdcpdp",
): Routes {
  const vehicles = trips.map((own, vehicle) => drive(instance, vehicle, own, open(vehicle)));
  return gathered(instance, vehicles);
}

function gathered(instance: Instance, vehicles: VehicleRoute[], told?: number): Routes {
  const server = new Int32Array(instance.taskX.length).fill(-1);
  let latest = 0;
  let arrivals = 0;
  let first = instance.times.day ? Infinity : 0;
  for (const route of vehicles) {
    latest = Math.max(latest, route.finish);
    if (route.trips[0]) first = Math.min(first, route.trips[0].begin);
    arrivals += route.arrivals;
    for (const trip of route.trips) for (const task of trip.tasks) server[task] = route.vehicle;
  }
  const objective = told ?? (instance.kind === "hcvrp" ? latest : arrivals);
  first = Number.isFinite(first) ? first : 0;
  const requests = server.subarray(instance.numOrders);
  const leftOut = requests.reduce((sum, vehicle) => sum + (vehicle < 0 ? 1 : 0), 0);
  return { instance, vehicles, server, served: requests.length - leftOut, leftOut, latest, first, objective };
}

/** What the service says that a vehicle does. */
function scheduled(
  instance: Instance,
  vehicle: number,
  own: number[][],
  schedule: VehicleSchedule | undefined,
): VehicleRoute {
  const stops = schedule?.stops ?? [];
  const trips: Trip[] = [];
  let [at, begin, most, arrivals, carried] = [0, schedule?.begin ?? 0, 0, 0, 0];
  for (const tasks of own) {
    const visits = stops.slice(at, at + tasks.length);
    at += tasks.length;
    const back = stops[at] && stops[at]!.task === null ? stops[at++]! : null;
    const amounts = tasks.map((task) => instance.demand[task]!);
    const load = Float64Array.from(visits, (visit) => visit.load);
    // HCVRP counts what was handed out so far.
    if (instance.kind === "hcvrp") amounts.reduce((sum, amount, i) => (load[i] = sum + amount), 0);
    carried += amounts.reduce((sum, amount) => sum + amount, 0);
    visits.forEach((visit, i) => {
      most = Math.max(most, visit.load);
      if (tasks[i]! >= instance.numOrders) arrivals += visit.arrival + visit.waiting;
    });
    trips.push({
      tasks: Int32Array.from(tasks),
      arrival: Float64Array.from(visits, (visit) => visit.arrival),
      waiting: Float64Array.from(visits, (visit) => visit.waiting),
      departure: Float64Array.from(visits, (visit) => visit.departure),
      load,
      begin,
      end: back?.arrival ?? visits.at(-1)?.departure ?? begin,
      open: back === null,
    });
    begin = back?.arrival ?? begin;
  }
  return {
    vehicle,
    trips,
    stops: own.reduce((sum, tasks) => sum + tasks.length, 0),
    distance: schedule?.distance ?? 0,
    finish: own.length > 0 ? (schedule?.finish ?? 0) : 0,
    arrivals: instance.kind === "hcvrp" ? 0 : arrivals,
    load: instance.kind === "hcvrp" ? carried : most,
  };
}

function drive(
  instance: Instance,
  vehicle: number,
  own: number[][],
  open: boolean,
): VehicleRoute {
  const { taskX, taskY, demand } = instance;
  const homeX = instance.startX[vehicle]!;
  const homeY = instance.startY[vehicle]!;
  const speed = instance.speed[vehicle]!;
  const trips: Trip[] = [];
  let driven = 0;
  let stops = 0;
  let carried = 0;
  let most = 0;
  let arrivals = 0;
  for (const [number, tasks] of own.entries()) {
    const begin = driven / speed;
    const arrival = new Float64Array(tasks.length);
    const load = new Float64Array(tasks.length);
    let [x, y, aboard] = [homeX, homeY, 0];
    tasks.forEach((task, i) => {
      driven += Math.hypot(taskX[task]! - x, taskY[task]! - y);
      [x, y] = [taskX[task]!, taskY[task]!];
      aboard += demand[task]!;
      most = Math.max(most, aboard);
      arrival[i] = driven / speed;
      load[i] = aboard;
      if (instance.kind === "omdcpdp" && task >= instance.numOrders) arrivals += driven / speed;
    });
    const stays = open && number === own.length - 1;
    if (!stays) driven += Math.hypot(homeX - x, homeY - y);
    carried += aboard;
    stops += tasks.length;
    trips.push({
      tasks: Int32Array.from(tasks),
      arrival,
      load,
      waiting: new Float64Array(tasks.length),
      departure: arrival,
      begin,
      end: driven / speed,
      open: stays,
    });
  }
  return {
    vehicle,
    trips,
    stops,
    distance: driven,
    finish: driven / speed,
    arrivals,
    load: instance.kind === "hcvrp" ? carried : most,
  };
}

/** How even the finishing times are: mean over latest, 1 when all are equal. */
export function balance(routes: Routes): number {
  const span = routes.latest - routes.first;
  if (span <= 0) return 1;
  const done = (route: VehicleRoute) => (route.trips.length > 0 ? route.finish - routes.first : 0);
  const sum = routes.vehicles.reduce((total, route) => total + done(route), 0);
  return sum / routes.vehicles.length / span;
}
