/** A problem as flat arrays in the plane in which distances are measured. */

import type { HcvrpDocument, Id, Kind, Load, OmdcpdpDocument, Place, ProblemDocument } from "./documents";
import { timesOf, type Times } from "./times";

export const EARTH_RADIUS_KM = 6371.0088;
const RADIAN = Math.PI / 180;

export type Point = [number, number];

export interface Instance {
  readonly kind: Kind;
  readonly name: string;
  readonly document: ProblemDocument;
  /** Longitude and latitude about which the plane lies; null for problems in the plane. */
  readonly origin: readonly [number, number] | null;
  /** Customers, or all pickups and then their deliveries. */
  readonly taskX: Float64Array;
  readonly taskY: Float64Array;
  readonly taskNames: string[];
  /** Demand of a customer; +1 for a pickup, -1 for a delivery. */
  readonly demand: Float64Array;
  /** Where each vehicle begins: the depot, or its own start. */
  readonly startX: Float64Array;
  readonly startY: Float64Array;
  /** Where vehicles are loaded; null where each is at its own start. */
  readonly depot: Point | null;
  /** Where vehicles begin and end that do so elsewhere than at the depot. */
  readonly ownStart: (Point | null)[];
  readonly ownEnd: (Point | null)[];
  /** Names of orders; empty for customers. */
  readonly orderNames: string[];
  readonly vehicleNames: string[];
  readonly capacity: Float64Array;
  readonly speed: Float64Array;
  readonly numOrders: number;
  /** How its times are told. */
  readonly times: Times;
  /** Whether each vehicle stays where its last stop is. */
  readonly openEnd: boolean[];
  /** What drivers are told of each task, by name. */
  readonly details: (Readonly<Record<string, string>> | null)[];
  /** Names to indices; for orders the names are those of `taskKey`. */
  readonly taskIndex: ReadonlyMap<string, number>;
  readonly vehicleIndex: ReadonlyMap<string, number>;
}

/** How a stop of an order is called in plans, traces and on the page. */
export function taskKey(order: Id, action: string): string {
  return `${action} of ${order}`;
}

export function readInstance(document: ProblemDocument): Instance {
  return document.problem === "hcvrp" ? readHcvrp(document) : readOmdcpdp(document);
}

function readHcvrp(document: HcvrpDocument): Instance {
  const { customers, vehicles } = document;
  // Without a depot vehicles are loaded where they start.
  const starts = vehicles.map((vehicle) => document.depot ?? vehicle.start ?? customers[0]!);
  const toPlane = projection(starts.slice(0, 1));
  return finish({
    kind: "hcvrp",
    name: document.name ?? "",
    document,
    origin: toPlane.origin,
    ...split("task", customers.map(toPlane.xy)),
    taskNames: names(customers, "c"),
    demand: Float64Array.from(customers, (customer) => firstLoad(customer.demand, 0)),
    ...split("start", starts.map(toPlane.xy)),
    depot: document.depot ? toPlane.xy(document.depot) : null,
    ownStart: vehicles.map(({ start }) => (start ? toPlane.xy(start) : null)),
    ownEnd: vehicles.map(({ end }) => (end ? toPlane.xy(end) : null)),
    orderNames: [],
    vehicleNames: names(vehicles, "v"),
    capacity: Float64Array.from(vehicles, (vehicle) => firstLoad(vehicle.capacity, Infinity)),
    speed: Float64Array.from(vehicles, (vehicle) => vehicle.speed ?? 1),
    numOrders: 0,
    times: timesOf(document, toPlane.origin !== null),
    openEnd: vehicles.map((vehicle) => vehicle.end === null || (!document.depot && !vehicle.end)),
    details: customers.map((customer) => customer.details ?? null),
  });
}

function readOmdcpdp(document: OmdcpdpDocument): Instance {
  const { orders, vehicles } = document;
  const toPlane = projection(vehicles);
  const places = [...orders.map((order) => order.pickup), ...orders.map((order) => order.delivery)];
  const ids = names(orders, "o");
  return finish({
    kind: "omdcpdp",
    name: document.name ?? "",
    document,
    origin: toPlane.origin,
    ...split("task", places.map(toPlane.xy)),
    taskNames: [
      ...ids.map((id) => taskKey(id, "pickup")),
      ...ids.map((id) => taskKey(id, "delivery")),
    ],
    demand: Float64Array.from(places, (_, i) => {
      const size = firstLoad(orders[i % orders.length]!.size, 1);
      return i < orders.length ? size : -size;
    }),
    ...split("start", vehicles.map(toPlane.xy)),
    depot: null,
    ownStart: vehicles.map(toPlane.xy),
    ownEnd: vehicles.map(() => null),
    orderNames: ids,
    vehicleNames: names(vehicles, "v"),
    capacity: Float64Array.from(vehicles, (vehicle) => firstLoad(vehicle.capacity, Infinity)),
    speed: Float64Array.from(vehicles, (vehicle) => vehicle.speed ?? 1),
    numOrders: orders.length,
    times: timesOf(document, toPlane.origin !== null),
    openEnd: vehicles.map(() => true),
    details: [
      ...orders.map((order) => order.pickup.details ?? null),
      ...orders.map((order) => order.delivery.details ?? null),
    ],
  });
}

function finish(parts: Omit<Instance, "taskIndex" | "vehicleIndex">): Instance {
  return {
    ...parts,
    taskIndex: new Map(parts.taskNames.map((name, i) => [name, i])),
    vehicleIndex: new Map(parts.vehicleNames.map((name, i) => [name, i])),
  };
}

/** The first dimension of a load; `otherwise` where it is left out. */
function firstLoad(load: Load | undefined, otherwise: number): number {
  return (Array.isArray(load) ? load[0] : load) ?? otherwise;
}

function names(rows: { id?: Id }[], letter: string): string[] {
  return rows.map((row, i) => (row.id === undefined ? `${letter}${i + 1}` : String(row.id)));
}

type Axes<Name extends string> = { [key in `${Name}X` | `${Name}Y`]: Float64Array };

function split<Name extends string>(name: Name, points: [number, number][]): Axes<Name> {
  return {
    [`${name}X`]: Float64Array.from(points, (point) => point[0]),
    [`${name}Y`]: Float64Array.from(points, (point) => point[1]),
  } as Axes<Name>;
}

interface Projection {
  origin: [number, number] | null;
  xy: (place: Place) => [number, number];
}

/** Local equirectangular about the middle of `anchors`, as the solvers measure; or as it is. */
function projection(anchors: Place[]): Projection {
  const first = anchors[0];
  if (first === undefined || !("lat" in first)) {
    return { origin: null, xy: (place) => ("x" in place ? [place.x, place.y] : [0, 0]) };
  }
  let lon = 0;
  let lat = 0;
  for (const place of anchors) {
    if (!("lat" in place)) continue;
    lon += shortWay(place.lon - first.lon) / anchors.length;
    lat += place.lat / anchors.length;
  }
  const origin: [number, number] = [shortWay(first.lon + lon), lat];
  return { origin, xy: (place) => ("lat" in place ? toPlane(place, origin) : [0, 0]) };
}

export function toPlane(
  place: { lon: number; lat: number },
  origin: readonly [number, number],
): [number, number] {
  const scale = RADIAN * EARTH_RADIUS_KM;
  const x = shortWay(place.lon - origin[0]) * scale * Math.cos(origin[1] * RADIAN);
  return [x, (place.lat - origin[1]) * scale];
}

/** The inverse of `toPlane`: longitude and latitude. */
export function fromPlane(
  x: number,
  y: number,
  origin: readonly [number, number],
): [number, number] {
  const scale = RADIAN * EARTH_RADIUS_KM;
  return [origin[0] + x / (scale * Math.cos(origin[1] * RADIAN)), origin[1] + y / scale];
}

/** A difference of longitudes, the short way round the earth. */
function shortWay(degrees: number): number {
  return ((((degrees + 180) % 360) + 360) % 360) - 180;
}
