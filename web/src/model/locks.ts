/** What planning again must leave as it is: stops that one vehicle has to serve, routes that stay.
 *
 * Locks stand in the problem itself, so that they come along wherever it goes: a stop's `vehicles`,
 * a vehicle's `locked` beginning of its route. What stood there before is remembered, so that
 * lifting a lock gives the file's own wishes back.
 */

import type { HcvrpDocument, Id, OmdcpdpDocument, ProblemDocument, RouteDocument } from "./documents";
import type { Instance } from "./instance";

/** What a problem was before anything was locked by hand. */
const before = new WeakMap<ProblemDocument, ProblemDocument>();
/** Problems of which nobody knows here what was locked by hand and what the file asked for. */
const fromElsewhere = new WeakSet<ProblemDocument>();

type Locked = HcvrpDocument["vehicles"][number]["locked"] | OmdcpdpDocument["vehicles"][number]["locked"];

/** What stood in place of locks, by the index of the request and of the vehicle. */
export interface Origin {
  requests: [number, string[] | null][];
  vehicles: [number, Locked | null][];
}

/** The number of the customer or order that a task belongs to. */
export function requestOf(instance: Instance, task: number): number {
  return instance.kind === "hcvrp" ? task : task % instance.numOrders;
}

/** A problem that was made from another one by hand has the same origin. */
export function sameOrigin<Document extends ProblemDocument>(changed: Document, document: ProblemDocument): Document {
  before.set(changed, before.get(document) ?? document);
  return changed;
}

/** Remember where a problem comes from: with what was noted of it, or from who knows where. */
export function setOrigin(document: ProblemDocument, origin: Origin | null): void {
  if (origin === null) {
    fromElsewhere.add(document);
    return;
  }
  let base = document;
  for (const [at, vehicles] of origin.requests) base = withAllowed(base, at, vehicles);
  for (const [at, locked] of origin.vehicles) base = withLocked(base, at, locked);
  if (base !== document) before.set(document, base);
}

/** What has to be noted of a problem to know its origin again.
 *
 * Where the service locks what has begun (`keeping`), any vehicle may come back with a lock.
 */
export function originOf(document: ProblemDocument, keeping = false): Origin | null {
  const base = before.get(document) ?? document;
  if (fromElsewhere.has(base)) return null;
  const requests: Origin["requests"] = [];
  requestsOf(document).forEach((_, at) => {
    const was = allowedIn(base, at);
    if (!same(was, allowedIn(document, at))) requests.push([at, was]);
  });
  const vehicles: Origin["vehicles"] = [];
  document.vehicles.forEach((_, at) => {
    const was = lockedIn(base, at);
    if (keeping || !same(was, lockedIn(document, at))) vehicles.push([at, was]);
  });
  return { requests, vehicles };
}

/** The vehicles that may serve a stop, where the problem says so. */
export function allowedFor(instance: Instance, task: number): string[] | null {
  return allowedIn(instance.document, requestOf(instance, task));
}

/** Who may take a lock away: "back" to what the file says, "open" to anybody; null for nobody. */
export function liftOf(instance: Instance, task: number): "back" | "open" | null {
  const { document } = instance;
  const at = requestOf(instance, task);
  const base = before.get(document) ?? document;
  const lifted = withoutLock(base, at);
  if (same(lifted, allowedIn(document, at))) return null;
  return lifted === null && fromElsewhere.has(base) ? "open" : "back";
}

/** Let only one vehicle serve a stop; null lifts that. */
export function lockTask(instance: Instance, task: number, vehicle: string | null): ProblemDocument {
  const { document } = instance;
  const at = requestOf(instance, task);
  const wanted = vehicle !== null ? [vehicle] : withoutLock(before.get(document) ?? document, at);
  return sameOrigin(withAllowed(document, at, wanted), document);
}

/** How many stops at the beginning of a vehicle's route stay as they are. */
export function lockedStops(instance: Instance, vehicle: number): number {
  return (lockedIn(instance.document, vehicle) ?? []).flat().length;
}

/** Whether the lock of a vehicle can be lifted here; what the file itself locks stays. */
export function canLift(instance: Instance, vehicle: number): boolean {
  const { document } = instance;
  return !same(lockedBefore(document, vehicle), lockedIn(document, vehicle));
}

/** Let a vehicle's route begin with what it does now; null lifts that. */
export function lockVehicle(instance: Instance, vehicle: number, route: RouteDocument | null): ProblemDocument {
  const { document } = instance;
  const wanted = route === null ? lockedBefore(document, vehicle) : (route.trips ?? route.stops ?? null);
  return sameOrigin(withLocked(document, vehicle, wanted), document);
}

function requestsOf(document: ProblemDocument): { vehicles?: Id[] | null }[] {
  return document.problem === "hcvrp" ? document.customers : document.orders;
}

function allowedIn(document: ProblemDocument, at: number): string[] | null {
  return requestsOf(document)[at]?.vehicles?.map(String) ?? null;
}

function lockedIn(document: ProblemDocument, vehicle: number): Locked | null {
  const locked = document.vehicles[vehicle]?.locked ?? null;
  return locked && locked.length > 0 ? locked : null;
}

/** Who may serve a stop once its lock is lifted. */
function withoutLock(base: ProblemDocument, at: number): string[] | null {
  const allowed = allowedIn(base, at);
  return fromElsewhere.has(base) && allowed?.length === 1 ? null : allowed;
}

function lockedBefore(document: ProblemDocument, vehicle: number): Locked | null {
  const base = before.get(document) ?? document;
  return fromElsewhere.has(base) ? null : lockedIn(base, vehicle);
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function withAllowed(document: ProblemDocument, at: number, vehicles: string[] | null): ProblemDocument {
  return document.problem === "hcvrp"
    ? { ...document, customers: changed(document.customers, at, "vehicles", vehicles) }
    : { ...document, orders: changed(document.orders, at, "vehicles", vehicles) };
}

function withLocked(document: ProblemDocument, at: number, locked: Locked | null): ProblemDocument {
  return document.problem === "hcvrp"
    ? { ...document, vehicles: changed(document.vehicles, at, "locked", locked) }
    : { ...document, vehicles: changed(document.vehicles, at, "locked", locked) };
}

/** Rows with another value in one of them; null leaves the field out. */
function changed<Row extends object>(rows: Row[], at: number, name: string, value: unknown): Row[] {
  return rows.map((row, i) => {
    if (i !== at) return row;
    const { [name]: _, ...rest } = row as Record<string, unknown>;
    return (value === null ? rest : { ...rest, [name]: value }) as Row;
  });
}
