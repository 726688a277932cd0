import { expect, test } from "vitest";
import { seatsOf, setRestOf } from "../src/app/rests";
import { readInstance } from "../src/model/instance";
import type { HcvrpDocument } from "../src/model/documents";

function fleet(...names: string[]): HcvrpDocument {
  return {
    problem: "hcvrp",
    depot: { x: 0, y: 0 },
    customers: [{ id: "a", x: 1, y: 0 }],
    vehicles: names.map((id) => ({ id, speed: 1 })),
  };
}

test("vehicles of the rest of a day have the places that they had in the morning", () => {
  const rest = fleet("van 1", "new", "van 3");
  expect(seatsOf(readInstance(rest))).toEqual([0, 1, 2]);
  setRestOf(rest, { job: null, now: "12:00", vehicles: ["van 1", "van 2", "van 3"] });
  expect(seatsOf(readInstance(rest))).toEqual([0, 3, 2]);
});
