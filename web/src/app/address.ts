/** Where one is: the address names the plans that are shown; what has none is kept for a reload. */

import type { PlanDocument, ProblemDocument } from "../model/documents";
import type { Origin } from "../model/locks";
import type { RestOf } from "../service/client";

/** The job that is shown, and the one beside it. */
export interface Address {
  job: string | null;
  other: string | null;
}

export function readAddress(search: string): Address {
  const query = new URLSearchParams(search);
  return { job: query.get("job") || null, other: query.get("with") || null };
}

/** The rest of the query is left alone: it may be somebody else's. */
export function writeAddress(search: string, { job, other }: Address): string {
  const query = new URLSearchParams(search);
  query.delete("job");
  query.delete("with");
  if (job) query.set("job", job);
  if (job && other) query.set("with", other);
  const text = query.toString();
  return text ? `?${text}` : "";
}

/** Put the address into the browser's bar; "back" leads to what was shown before. */
export function showAddress(address: Address): void {
  const search = writeAddress(location.search, address);
  if (search === location.search) return;
  // The first plan of a problem replaces the page without one: "back" would show nothing new.
  const first = readAddress(location.search).job === null;
  const where = `${location.pathname}${search}${location.hash}`;
  if (first) history.replaceState(null, "", where);
  else history.pushState(null, "", where);
}

export interface KeptDesk {
  problem: ProblemDocument;
  /** A plan that no job has: from a file, or changed by hand. */
  plan: PlanDocument | null;
  /** What stood in place of locks. */
  origin: Origin | null;
  /** The day whose rest it is. */
  rest: RestOf | null;
}

const DESK = "geopar-desk";
const ORIGINS = "geopar-origins";
const MOST_ORIGINS = 100;

/** Keep what is on the desk over a reload of this tab. */
export function keepDesk(desk: KeptDesk | null): void {
  try {
    if (desk === null) sessionStorage.removeItem(DESK);
    else sessionStorage.setItem(DESK, JSON.stringify(desk));
  } catch {
    // More than a browser keeps: an older desk would be worse than none.
    sessionStorage.removeItem(DESK);
  }
}

export function readDesk(): KeptDesk | null {
  try {
    return JSON.parse(sessionStorage.getItem(DESK) ?? "null") as KeptDesk | null;
  } catch {
    return null;
  }
}

/** Note what stood in place of the locks of a job that was started here. */
export function keepOrigin(job: string, origin: Origin | null): void {
  if (origin === null) return;
  const kept: [string, Origin][] = [...readOrigins().filter(([id]) => id !== job), [job, origin]];
  try {
    sessionStorage.setItem(ORIGINS, JSON.stringify(kept.slice(-MOST_ORIGINS)));
  } catch {
    sessionStorage.removeItem(ORIGINS); // more than a browser keeps
  }
}

export function recallOrigin(job: string): Origin | null {
  return readOrigins().find(([id]) => id === job)?.[1] ?? null;
}

function readOrigins(): [string, Origin][] {
  try {
    return JSON.parse(sessionStorage.getItem(ORIGINS) ?? "[]") as [string, Origin][];
  } catch {
    return [];
  }
}
