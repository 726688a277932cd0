/** Amounts of every kind: parcels, kilograms, cubic metres, side by side. */

import type { Load, ProblemDocument } from "./documents";
import type { Instance } from "./instance";
import { plain } from "./format";

/** What each kind of load is called; at least one. */
export function loadNames(document: ProblemDocument): string[] {
  const width = widthOf(document);
  if (document.loads?.length === width) return document.loads;
  if (width === 1) return ["Amount"];
  return Array.from({ length: width }, (_, kind) => `Amount ${kind + 1}`);
}

/** What a stop takes, of each kind; what is brought to an order's delivery leaves the vehicle. */
export function amountsOf(instance: Instance, task: number): number[] {
  const { document, numOrders } = instance;
  const width = widthOf(document);
  if (document.problem === "hcvrp") return filled(document.customers[task]!.demand, width, 0, 0);
  const sizes = filled(document.orders[task % numOrders]!.size, width, 1, 0);
  return task < numOrders ? sizes : sizes.map((size) => -size);
}

/** What a vehicle may carry, of each kind. */
export function roomOf(instance: Instance, vehicle: number): number[] {
  const { document } = instance;
  return filled(document.vehicles[vehicle]!.capacity, widthOf(document), Infinity, Infinity);
}

/** What is on board when a trip leaves its stop of that place, of each kind. */
export function aboardAfter(instance: Instance, tasks: ArrayLike<number>, at: number): number[] {
  const amounts = Array.from(tasks, (task) => amountsOf(instance, task));
  // Goods of a depot are on board from the start and are handed out; orders come on board.
  const counted = instance.kind === "hcvrp" ? amounts.slice(at + 1) : amounts.slice(0, at + 1);
  return sumOf(counted, widthOf(instance.document));
}

/** Of each kind all that a vehicle carries, or the most on board at once where it picks up. */
export function carriedBy(instance: Instance, trips: ArrayLike<number>[]): number[] {
  const width = widthOf(instance.document);
  const tasks = trips.flatMap((trip) => Array.from(trip));
  if (instance.kind === "hcvrp") return sumOf(tasks.map((task) => amountsOf(instance, task)), width);
  const aboard = Array<number>(width).fill(0);
  const most = Array<number>(width).fill(0);
  for (const task of tasks) {
    amountsOf(instance, task).forEach((amount, kind) => {
      aboard[kind]! += amount;
      most[kind] = Math.max(most[kind]!, aboard[kind]!);
    });
  }
  return most;
}

export function sumOf(amounts: number[][], width: number): number[] {
  return Array.from({ length: width }, (_, kind) => amounts.reduce((sum, each) => sum + each[kind]!, 0));
}

/** Amounts with their names, where there are several kinds: "Parcels 3, kg 120". */
export function loadText(document: ProblemDocument, amounts: number[], between = ", "): string {
  const names = loadNames(document);
  if (names.length === 1) return plain(amounts[0]!);
  return names.map((name, kind) => `${name} ${plain(amounts[kind]!)}`).join(between);
}

// Every stop of a list asks for it.
const widths = new WeakMap<ProblemDocument, number>();

function widthOf(document: ProblemDocument): number {
  const known = widths.get(document);
  if (known !== undefined) return known;
  const asked = document.problem === "hcvrp" ? document.customers.map((row) => row.demand) : document.orders.map((row) => row.size);
  const loads = [...asked, ...document.vehicles.map((vehicle) => vehicle.capacity)];
  const width = loads.reduce<number>((most, load) => Math.max(most, Array.isArray(load) ? load.length : 1), 1);
  widths.set(document, width);
  return width;
}

/** One number for each kind; of an amount that is left out the first kind may count otherwise. */
function filled(load: Load | undefined, width: number, first: number, others: number): number[] {
  const list = Array.isArray(load) ? load : [load];
  const left = Array.isArray(load) ? others : first;
  return Array.from({ length: width }, (_, kind) => list[kind] ?? (kind === 0 ? left : others));
}
