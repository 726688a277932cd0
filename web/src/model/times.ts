/** Times of a problem for people: moments by the clock where there is one, lengths in words. */

import type { Goal, Kind, ProblemDocument, Time, TimeUnit } from "./documents";
import { number } from "./format";

const PER_HOUR: Record<TimeUnit, number> = { hours: 1, minutes: 60, seconds: 3600 };

export interface Times {
  readonly goal: Goal;
  readonly unit: TimeUnit;
  /** Whether anything in the file is told by the clock: then all times are. */
  readonly clock: boolean;
  /** Whether a stop is more than a point on a straight line: its times come from the service. */
  readonly day: boolean;
  /** Whether times are hours and minutes of this world, not just numbers. */
  readonly known: boolean;
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
  const known = day ? onEarth || !!document.time_unit || !!document.matrices : plain === "h";
  return {
    goal: document.minimise ?? (kind === "hcvrp" ? "makespan" : "arrivals"),
    unit,
    clock: !!document.clock || momentsOf(document).some((moment) => typeof moment === "string"),
    day,
    known,
    // Whatever the unit of the file, hours and minutes are what people read: they say what they are.
    timeWord: known ? "" : plain,
    lengthWord: onEarth ? "km" : "",
  };
}

/** A moment of the day: "16:45", "1 h 19 min" from the start, or a number with its unit. */
export function timeText(times: Times, value: number, digits = 5): string {
  if (times.clock) return clockText(times, value);
  return `${spanText(times, value, digits)}${times.timeWord && ` ${times.timeWord}`}`;
}

/** A moment as a cell of a table has it. */
export function timeCell(times: Times, value: number): string {
  // In a column, seconds of the early ones would only be noise.
  return times.clock ? clockText(times, value) : spanText(times, value, 4, false);
}

/** A length of time: "1 h 19 min", "4 min 30 s" where it is short; or a number. */
export function spanText(times: Times, value: number, digits = 5, exact?: boolean): string {
  if (!times.known) return number(value, digits);
  const hours = Math.abs(value) / PER_HOUR[times.unit];
  const seconds = exact ?? (hours < 1 / 6 && hours > 0);
  const whole = Math.round(hours * (seconds ? 3600 : 60));
  const minutes = seconds ? Math.floor(whole / 60) : whole;
  const told: [number, string][] = [
    [Math.floor(minutes / 60), "h"],
    [minutes % 60, "min"],
    [seconds ? whole % 60 : 0, "s"],
  ];
  const words = told.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return `${value < 0 && whole > 0 ? "−" : ""}${words.join(" ") || "0 min"}`;
}

/** How long something takes at a stop: "12 min". */
export function minutesText(times: Times, value: number): string {
  if (!times.known) return number(value, 3);
  return `${Math.max(1, Math.round((value / PER_HOUR[times.unit]) * 60))} min`;
}

function clockText(times: Times, value: number): string {
  const minutes = Math.round((value / PER_HOUR[times.unit]) * 60);
  return `${two(Math.floor(minutes / 60))}:${two(((minutes % 60) + 60) % 60)}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

const SECOND = 1 / 3600;
const MINUTE = 1 / 60;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((each) => each * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((each) => each * MINUTE),
  ...[1, 2, 3, 4, 6, 12, 24],
];

/** Steps of an axis at round hours, minutes and seconds; null where times are just numbers.
 *
 * A clock has steps of `least` minutes or more.
 */
export function clockStep(times: Times, span: number, most: number, least = 5): number | null {
  if (!times.known && !times.clock) return null;
  const hour = PER_HOUR[times.unit];
  const shortest = times.clock ? least * MINUTE : 0;
  const found = STEPS.find((step) => step >= shortest && span / (step * hour) <= most);
  // Longer than that: whole days.
  return hour * (found ?? 24 * Math.ceil(span / hour / 24 / most));
}

/** What stands at a step of an axis: seconds where the steps are shorter than a minute. */
export function stepText(times: Times, value: number, step: number): string {
  return spanText(times, value, 5, step < PER_HOUR[times.unit] * MINUTE * 0.999);
}

/** What the objective is called. */
export function goalWord(times: Times): string {
  switch (times.goal) {
    case "makespan":
      return times.clock ? "Home by" : "All home after";
    case "arrivals":
      return "Sum of arrivals";
    case "duration":
      return "Time on duty";
    case "distance":
      return "Distance";
  }
}

/** The same in the words of the command line and of the glossary. */
export function goalMeaning(times: Times): string {
  const name = times.goal === "arrivals" ? "sum of arrivals" : times.goal;
  return `The objective: ${name}, which is minimised`;
}

/** The objective and its unit; `latest` is when the last vehicle is done, where that is known. */
export function goalText(times: Times, value: number, latest: number | null = null): [string, string] {
  if (times.goal === "distance") return [number(value), times.lengthWord];
  if (times.goal === "makespan" && times.clock && latest !== null) return [clockText(times, latest), ""];
  return [spanText(times, value), times.timeWord];
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
