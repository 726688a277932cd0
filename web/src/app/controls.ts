/** Which controls can be used now, and how far planning is. */

import type { Routes } from "../model/routes";
import { byId, setText } from "../view/elements";
import type { Desk } from "./desk";
import { isLive } from "./runs";
import { keepUnit, progressWords } from "./words";

/** What a plan would wait for. */
const STARTING = "The service is getting ready; the first time that takes a minute or two";

export function renderControls(desk: Desk, routes: Routes | null, warming: boolean): void {
  const { shown, instance } = desk;
  const live = shown !== null && isLive(shown);
  enable("start", instance !== null && !live);
  enable("stop", live);
  const planned = shown?.plan != null && !desk.construction.moment;
  enable("again", planned && !live);
  byId("keep-field").hidden = !planned || live;
  setText(byId("keep-unit"), instance ? keepUnit(instance) : "");
  enable("share", shown?.kept === true);
  const onEarth = instance?.origin != null;
  for (const id of ["sheet", "sheet-xlsx", "sheet-csv", "sheet-geojson"]) enable(id, planned);
  enable("sheet-gpx", planned && onEarth);
  byId("gpx-own").hidden = byId("sheet-gpx").hidden = instance !== null && !onEarth;
  enable("trace", instance !== null);
  enable("save-plan", planned);
  enable("save-picture", routes !== null);
  enable("save-problem", instance !== null);
  const share = shown ? Math.min(1, shown.time / Math.max(shown.limit ?? 0, 1e-9)) : 0;
  const bar = byId("progress");
  const percent = Math.round((live ? share : shown ? 1 : 0) * 100);
  bar.setAttribute("aria-valuenow", String(percent));
  (bar.firstElementChild as HTMLElement).style.width = `${percent}%`;
  setText(byId("progress-words"), shown ? progressWords(shown) : warming ? STARTING : "");
}

function enable(id: string, enabled: boolean): void {
  byId<HTMLButtonElement>(id).disabled = !enabled;
}
