/** What the marks and lines of the map mean. */

import type { Instance } from "../model/instance";
import { byId, make } from "./elements";
import type { Ink } from "./ink";

const MOST_NAMED = 12;

type Mark = "depot" | "stop" | "pickup" | "delivery" | "start" | "way" | "faint";

let shown = "";

/** For one problem, with routes or without; nothing without a problem. */
export function showLegend(instance: Instance | null, planned: boolean, ink: Ink): void {
  const box = byId("legend");
  box.hidden = instance === null;
  if (!instance) return;
  const names = planned && instance.vehicleNames.length <= MOST_NAMED ? instance.vehicleNames : [];
  const key = JSON.stringify([instance.kind, planned, names, ink.theme, ink.vehicles.slice(0, names.length)]);
  if (key === shown) return;
  shown = key;
  const rows = marksOf(instance, planned).map(([mark, words]) => row(make("span", `mark ${mark}`), words));
  const vehicles = names.map((name, i) => {
    const line = make("span", "mark way");
    line.style.setProperty("--own", ink.vehicles[i]!);
    return row(line, name);
  });
  byId("legend-list").replaceChildren(...rows, ...vehicles);
}

function marksOf(instance: Instance, planned: boolean): [Mark, string][] {
  if (instance.kind === "hcvrp") {
    const marks: [Mark, string][] = [
      ["depot", "depot"],
      ["stop", "stop; the larger, the more it gets"],
    ];
    return planned ? [...marks, ["faint", "faint: from and to the depot"]] : marks;
  }
  return [
    ["start", "where a vehicle begins"],
    ["pickup", "pickup"],
    ["delivery", "delivery"],
  ];
}

function row(mark: HTMLElement, words: string): HTMLElement {
  mark.setAttribute("aria-hidden", "true");
  return make("li", "", mark, words);
}
