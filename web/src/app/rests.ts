/** Of which day a problem is the rest, and so which vehicles there were in the morning. */

import type { ProblemDocument } from "../model/documents";
import type { Instance } from "../model/instance";
import type { RestOf } from "../service/client";

const rests = new WeakMap<ProblemDocument, RestOf>();

export function restOf(document: ProblemDocument): RestOf | null {
  return rests.get(document) ?? null;
}

export function setRestOf(document: ProblemDocument, rest: RestOf | null): void {
  if (rest) rests.set(document, rest);
}

/** The vehicles of the whole day; those of the problem where it is no rest. */
export function fleetOf(instance: Instance): readonly string[] {
  return restOf(instance.document)?.vehicles ?? instance.vehicleNames;
}

/** The place of each vehicle in the whole day's fleet, which its colour goes by; new ones come last. */
export function seatsOf(instance: Instance): number[] {
  const fleet = fleetOf(instance);
  const seats = new Map(fleet.map((name, i) => [name, i]));
  return instance.vehicleNames.map((name) => {
    if (!seats.has(name)) seats.set(name, seats.size);
    return seats.get(name)!;
  });
}
