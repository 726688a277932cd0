/** Files from the user: dropped, chosen, or the examples that come with the page. */

import couriers from "../../../examples/couriers.json?url";
import deliveries from "../../../examples/deliveries.json?url";
import day from "../../../examples/working-day/deliveries.json?url";
import type { PlanDocument } from "../model/documents";
import { byId } from "../view/elements";

const MOST_STOPS_TOLD = 8;
const MOST_VEHICLES_TOLD = 12;

export interface NamedFile {
  name: string;
  data: Blob;
}

export const EXAMPLES = { couriers, deliveries, day };

export async function example(name: keyof typeof EXAMPLES): Promise<NamedFile> {
  const answer = await fetch(EXAMPLES[name]);
  return { name: `${name}.json`, data: await answer.blob() };
}

/** What the user wrote under "Options for VRPLIB and npz". */
export function readOptions(): Record<string, string> {
  const names = ["num_vehicles", "capacity", "speed", "index"];
  const given = names.map((name) => [name, byId<HTMLInputElement>(`read-${name}`).value.trim()]);
  return Object.fromEntries(given.filter(([, value]) => value !== ""));
}

export function listenForFiles(take: (files: NamedFile[]) => void): void {
  const input = byId<HTMLInputElement>("file");
  byId("open").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    take(named(input.files));
    input.value = ""; // so that the same file can be chosen again
  });
  const veil = byId("drop");
  let depth = 0;
  const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  window.addEventListener("dragenter", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    depth++;
    veil.hidden = false;
  });
  window.addEventListener("dragover", (event) => {
    if (holdsFiles(event)) event.preventDefault();
  });
  window.addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    veil.hidden = depth === 0;
  });
  window.addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    depth = 0;
    veil.hidden = true;
    take(named(event.dataTransfer!.files));
  });
}

function named(files: FileList | null): NamedFile[] {
  return Array.from(files ?? [], (file) => ({ name: file.name, data: file }));
}

/** The plan in a file, as `Plan, JSON` saves it; null for any other file. */
export async function planIn(file: NamedFile): Promise<PlanDocument | null> {
  if (!/\.json$/i.test(file.name)) return null;
  try {
    return asPlan(JSON.parse(await file.data.text()));
  } catch {
    return null; // the service says what is wrong with it
  }
}

/** Routes and nothing to serve: a plan. Results of `geopar solve --json` have theirs inside. */
export function asPlan(value: unknown): PlanDocument | null {
  if (typeof value !== "object" || value === null) return null;
  if ("plan" in value) return asPlan(value.plan);
  if (!("routes" in value) || !Array.isArray(value.routes)) return null;
  return "customers" in value || "orders" in value || "vehicles" in value ? null : (value as PlanDocument);
}

/** What a plan says by itself: who serves what, in order. */
export function planWords(plan: PlanDocument): string {
  const told = plan.routes.map((route) => {
    const stops = [
      ...(route.trips ?? []).flat().map(String),
      ...(route.stops ?? []).map((stop) => `${stop.action} ${stop.order}`),
    ];
    const shown = stops.slice(0, MOST_STOPS_TOLD).join(", ");
    return `${route.vehicle}: ${stops.length === 0 ? "nothing" : shown}${stops.length > MOST_STOPS_TOLD ? ` and ${stops.length - MOST_STOPS_TOLD} more` : ""}`;
  });
  const more = told.length - MOST_VEHICLES_TOLD;
  return `${told.slice(0, MOST_VEHICLES_TOLD).join("; ")}${more > 0 ? `; and ${more} more vehicles` : ""}.`;
}
