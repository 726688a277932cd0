/** What is shown, in words: plans, runs, axes, and how far they are. */

import { count, plain, plural, seconds } from "../model/format";
import type { Instance } from "../model/instance";
import type { Routes } from "../model/routes";
import { scaleFor } from "../model/scale";
import { goalText, goalWord, timeText } from "../model/times";
import { whenText } from "../model/when";
import { howWords } from "../view/runList";
import { isLive, sizeOf, titleOf, waitingWords, type Run } from "./runs";

/** A problem by its name and size. */
export function instanceWords(instance: Instance): string {
  return instance.name ? `${instance.name} · ${sizeOf(instance)}` : sizeOf(instance);
}

/** What is shown by its name, which a plan may have of its own, and its size. */
export function titleWords(instance: Instance, run: Run | null): [string, string] {
  const [name, size] = [run?.title ?? titleOf(instance), sizeOf(instance)];
  return [name, name === size ? "" : ` · ${size}`];
}

/** What leaves out somebody does not compare with what does not. */
export function leftOutWords(routes: Routes | null): string {
  if (!routes || routes.leftOut === 0) return "";
  return routes.served === 0 ? "Nobody can be served" : `${count(routes.leftOut)} left out`;
}

export function objectiveWords(run: Run): string {
  const { times } = run.instance!;
  const leftOut = leftOutWords(run.routes);
  if (run.routes?.served === 0 && leftOut) return leftOut;
  const value = goalText(times, run.objective!, run.routes?.latest);
  return `${goalWord(times)} ${value.join(" ")}`.trim() + (leftOut && `, ${leftOut}`);
}

export function runWords(run: Run | null): string {
  if (!run) return "";
  const words = [whenText(run.created, new Date()), howWords(run, ""), run.objective === null ? "" : objectiveWords(run)];
  return words.filter((part) => part !== "").join(" · ");
}

/** In what unit `keep` is. */
export function keepUnit({ times }: Instance): string {
  return times.known ? times.unit : times.day || times.timeWord !== "km" ? "units of time" : "kilometres";
}

export function axisWords(instance: Instance): string {
  const { times } = instance;
  if (times.clock) return "by the clock";
  if (times.day || instance.kind === "hcvrp") return times.known ? "from the start" : "time";
  const unit = instance.origin ? "kilometres" : "distance";
  return `${unit} driven; dots are deliveries, strong with much on board`;
}

export function mapWords(instance: Instance, routes: Routes | null): string {
  const what = instance.kind === "hcvrp" ? "stops around a depot" : "pickups and deliveries";
  const tasks = `Map: ${count(instance.taskX.length)} ${what}`;
  if (!routes) return `${tasks}, no plan yet`;
  const driving = routes.vehicles.filter((route) => route.stops > 0).length;
  return `${tasks}, routes of ${plural(driving, "vehicle")}; the table has the same in words`;
}

export function scheduleWords(routes: Routes): string {
  const last = routes.vehicles.reduce((a, b) => (b.finish > a.finish ? b : a));
  const name = routes.instance.vehicleNames[last.vehicle]!;
  return `Schedule: ${plural(routes.vehicles.length, "vehicle")}, ${name} is done last, at ${timeText(routes.instance.times, routes.latest)}`;
}

export function progressWords(run: Run): string {
  if (isLive(run) && run.silent) return "The service does not answer; it is asked again";
  if (!run.kept && run.status !== "interrupted") return run.from === null ? `From ${run.solver}` : changedWords(run);
  if (isLive(run) && run.compiling) return "Getting ready for plans of this kind: once, a minute or two";
  if (run.status === "queued") return waitingWords(run);
  const iterations = run.iterations > 0 ? `, ${plural(run.iterations, "iteration")}` : "";
  const word = run.status === "running" ? "" : `${run.status[0]!.toUpperCase()}${run.status.slice(1)}, `;
  const of = run.status === "running" ? ` of ${plain(run.limit ?? 0)} s` : "";
  const time = run.status === "running" ? run.time.toFixed(1) : seconds(run.time);
  return `${word}${time}${of}${iterations}`;
}

/** What changes by hand cost, in words. */
export function changedWords(run: Run): string {
  const { times } = run.instance!;
  const scale = scaleFor(times, run.objective, run.routes?.latest ?? null);
  return `Changed by hand: ${scale.text(run.objective!)} instead of ${scale.text(run.from!)}${times.timeWord && ` ${times.timeWord}`}`;
}

/** A text as part of the name of a file. */
export function fileWord(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "plan";
}
