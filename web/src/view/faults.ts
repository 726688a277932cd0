/** What is wrong with a file or a request, as a list that a person can work through. */

import type { Fault } from "../service/client";
import { byId, make } from "./elements";

const MOST_SHOWN = 200;

export interface Complaint {
  title: string;
  message: string;
  faults: Fault[];
  /** What else the user could do, at the end. */
  advice?: string;
}

export function showComplaint(complaint: Complaint): void {
  const box = byId("complaint");
  const list = make("ol");
  for (const fault of complaint.faults.slice(0, MOST_SHOWN)) list.append(row(fault));
  byId("complaint-title").textContent = complaint.title;
  const body = byId("complaint-body");
  body.replaceChildren();
  if (complaint.faults.length === 0) body.append(make("p", "", complaint.message));
  else body.append(list);
  const more = complaint.faults.length - MOST_SHOWN;
  if (more > 0) body.append(make("p", "quiet", `… and ${more} more`));
  if (complaint.advice) body.append(make("p", "quiet", complaint.advice));
  box.hidden = false;
  box.scrollIntoView({ block: "nearest" });
}

/** What is worth a word about what was opened. */
export function showRemarks(remarks: string[]): void {
  byId("remarks").hidden = remarks.length === 0;
  byId("remarks").replaceChildren(...remarks.map((remark) => make("li", "", remark)));
}

export function hideRemarks(): void {
  byId("remarks").hidden = true;
}

export function hideComplaint(): void {
  byId("complaint").hidden = true;
}

function row(fault: Fault): HTMLLIElement {
  const where = make("p", "where", make("code", "field", fault.field));
  if (fault.value !== "" && fault.value !== undefined && fault.value !== null) {
    where.append(" = ", make("code", "value", String(fault.value)));
  }
  const what = make("p", "", fault.message);
  if (fault.hint) what.append(" ", make("span", "hint", fault.hint));
  const code = make("span", "code quiet", fault.code);
  return make("li", "", where, what, code);
}
