/** Broken rules as a list that a person reads: a few of each kind, and how many more there are. */

import type { Fault, Violation } from "../service/client";

const MOST_OF_A_KIND = 5;

/** Whoever plans the rest of a day does not want to read about every stop that is done. */
export function fewOfEach(violations: readonly Violation[]): Fault[] {
  const kinds = new Map<string, Violation[]>();
  for (const violation of violations) {
    const same = kinds.get(violation.code) ?? [];
    same.push(violation);
    kinds.set(violation.code, same);
  }
  return [...kinds.values()].flatMap((same) => {
    const few = same.slice(0, MOST_OF_A_KIND).map(faultOf);
    const more = same.length - few.length;
    if (more > 0) few.push({ ...few[0]!, field: `${more} more`, message: "The same holds for others.", hint: "" });
    return few;
  });
}

function faultOf({ code, message, hint, vehicles }: Violation): Fault {
  return { code, field: vehicles?.join(", ") ?? "", value: "", message, hint: hint ?? "" };
}
