/** Times of a problem for people: numbers of its unit, or as a clock has them. */

import type { Goal, Kind, ProblemDocument, Time, TimeUnit } from "./documents";
import { number } from "./format";

const SHORT: Record<TimeUnit, string> = { hours: "h", minutes: "min", seconds: "s" };
const PER_HOUR: Record<TimeUnit, number> = { hours: 1, minutes: 60, seconds: 3600 };

export interface Times {
  readonly goal: Goal;
  readonly unit: TimeUnit;
  /** Whether anything in the file is told by the clock: then all times are. */
  readonly clock: boolean;
  /** Whether a stop is more than a point on a straight line: its times come from the service. */
  readonly day: boolean;
  /** What stands behind durations and lengths. */
  readonly timeWord: string;
  readonly lengthWord: string;
}

export function timesOf(document: ProblemDocument, onEarth: boolean): Times {
  const kind: Kind = document.problem;
  const unit = document.time_unit ?? "hours";
  const day = isDay(document);
  // Without a day couriers have no speed: kilometres are their time.
  const plain = onEarth ? (kind === "hcvrp" ? "h" : "km") : "";
  return {
    goal: document.minimise ?? (kind === "hcvrp" ? "makespan" : "arrivals"),
    unit,
    clock: momentsOf(document).some((moment) => typeof moment === "string"),
    day,
    timeWord: day && (onEarth || document.time_unit || document.matrices) ? SHORT[unit] : plain,
    lengthWord: onEarth ? "km" : "",
  };
}

/** A moment of the day: "16:45", or a number with its unit. */
export function timeText(times: Times, value: number, digits = 5): string {
  if (!times.clock) return `${number(value, digits)}${times.timeWord && ` ${times.timeWord}`}`;
  const minutes = Math.round((value / PER_HOUR[times.unit]) * 60);
  const [hour, minute] = [Math.floor(minutes / 60), ((minutes % 60) + 60) % 60];
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

/** Steps of an axis at round times of a clock. */
export function clockStep(times: Times, span: number, most: number): number | null {
  if (!times.clock) return null;
  const hour = PER_HOUR[times.unit];
  const steps = [1 / 12, 1 / 6, 1 / 4, 1 / 2, 1, 2, 3, 4, 6, 12, 24];
  return hour * (steps.find((step) => span / (step * hour) <= most) ?? 24);
}

/** What the objective is called, and what stands behind it. */
export function goalWords(times: Times): [string, string] {
  switch (times.goal) {
    case "makespan":
      return ["Makespan", times.timeWord];
    case "arrivals":
      return ["Sum of arrivals", times.timeWord];
    case "duration":
      return ["Time on duty", times.timeWord];
    case "distance":
      return ["Distance", times.lengthWord];
  }
}

function isDay(document: ProblemDocument): boolean {
  if (document.matrices || document.time_unit || document.minimise) return true;
  const plain = document.problem === "hcvrp" ? PLAIN_HCVRP : PLAIN_OMDCPDP;
  const rows: object[] =
    document.problem === "hcvrp"
      ? [document.depot ?? { missing: true }, ...document.customers, ...document.vehicles]
      : [
          ...document.orders.flatMap((order) => [order, order.pickup, order.delivery]),
          ...document.vehicles,
        ];
  return rows.some((row) => Object.keys(row).some((name) => !plain.has(name)));
}

const PLAIN_HCVRP = new Set(["x", "y", "lat", "lon", "id", "demand", "capacity", "speed", "details"]);
const PLAIN_OMDCPDP = new Set(["x", "y", "lat", "lon", "id", "capacity", "pickup", "delivery", "details"]);

function momentsOf(document: ProblemDocument): Time[] {
  const shifts = document.vehicles.flatMap((vehicle) => vehicle.available ?? []);
  if (document.problem === "hcvrp") {
    const { opens, closes } = document.depot ?? {};
    const stops = document.customers.flatMap((each) => [
      each.released ?? null,
      ...(each.windows ?? []).flat(),
    ]);
    return [opens ?? null, closes ?? null, ...shifts, ...stops];
  }
  const stops = document.orders.flatMap((order) => [
    order.released ?? null,
    ...(order.pickup.windows ?? []).flat(),
    ...(order.delivery.windows ?? []).flat(),
  ]);
  return [...shifts, ...stops];
}
