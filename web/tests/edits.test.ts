import { describe, expect, it } from "vitest";

import { asPlan } from "../src/app/files";
import { readAddress, writeAddress } from "../src/app/address";
import type { HcvrpDocument, OmdcpdpDocument } from "../src/model/documents";
import {
  factsOf,
  moveTask,
  placeTask,
  planOf,
  shiftOf,
  shiftTask,
  tripsIn,
  withFacts,
  withShift,
  type StopFacts,
} from "../src/model/edits";
import { readInstance } from "../src/model/instance";
import { readRoutes } from "../src/model/routes";
import { whenText } from "../src/model/when";
import { sheetPath } from "../src/service/client";
import { aboard } from "../src/view/stopList";

const line: HcvrpDocument = {
  problem: "hcvrp",
  depot: { x: 0, y: 0 },
  customers: ["a", "b", "c", "d"].map((id, i) => ({ id, x: i + 1, y: 0, demand: 1 })),
  vehicles: [
    { id: "van", capacity: 3, speed: 1 },
    { id: "bike", capacity: 2, speed: 1 },
  ],
};
const couriers: OmdcpdpDocument = {
  problem: "omdcpdp",
  orders: [
    { id: "x", pickup: { x: 1, y: 0 }, delivery: { x: 2, y: 0 } },
    { id: "y", pickup: { x: 3, y: 0 }, delivery: { x: 4, y: 0 } },
  ],
  vehicles: [
    { id: "anna", x: 0, y: 0, capacity: 2 },
    { id: "ben", x: 0, y: 0, capacity: 2 },
  ],
};

describe("a stop moves", () => {
  const instance = readInstance(line);

  it("to where it is the shortest detour", () => {
    expect(moveTask(instance, [[[0, 2]], [[3]]], 1, 0)).toEqual([[[0, 1, 2]], [[3]]]);
  });

  it("to a trip of its own where there is no room", () => {
    expect(moveTask(instance, [[[2]], [[0, 1]]], 2, 1)).toEqual([[], [[0, 1], [2]]]);
  });

  it("as a whole order", () => {
    const orders = readInstance(couriers);
    const trips = moveTask(orders, [[[0, 2, 1, 3]], []], 3, 1);
    expect(trips).toEqual([[[0, 2]], [[1, 3]]]);
    expect(planOf(orders, trips).routes[1]).toEqual({
      vehicle: "ben",
      stops: [
        { order: "y", action: "pickup" },
        { order: "y", action: "delivery" },
      ],
    });
  });

  it("earlier and later, over the end of a trip", () => {
    const trips = [[[0, 1], [2]], [[3]]];
    expect(shiftTask(trips, 1, -1)).toEqual([[[1, 0], [2]], [[3]]]);
    expect(shiftTask(trips, 1, 1)).toEqual([[[0], [1, 2]], [[3]]]);
    expect(shiftTask(trips, 2, -1)).toEqual([[[0, 1, 2]], [[3]]]);
    expect(shiftTask(trips, 3, 1)).toEqual(trips);
    expect(trips).toEqual([[[0, 1], [2]], [[3]]]);
  });
});

it("a stop is dragged before another one", () => {
  expect(placeTask([[[0, 1], [2]], [[3]]], 1, 0)).toEqual([[[1, 0], [2]], [[3]]]);
  expect(placeTask([[[0, 1], [2]], [[3]]], 2, 1)).toEqual([[[0, 2, 1]], [[3]]]);
  expect(placeTask([[[0]], [[3]]], 0, 3)).toEqual([[[0]], [[3]]]);
});

describe("what a stop asks for", () => {
  it("is changed and taken away", () => {
    const instance = readInstance(line);
    expect(factsOf(instance, 0)).toEqual({ amounts: [1], service: null, windows: [] });
    const facts: StopFacts = { amounts: [2], service: 5, windows: [["08:00", null]] };
    const changed = readInstance(withFacts(instance, 0, facts));
    expect(factsOf(changed, 0)).toEqual(facts);
    expect(factsOf(changed, 1)).toEqual(factsOf(instance, 1));
    expect(withFacts(changed, 0, { amounts: [1], service: null, windows: [[null, null]] })).toEqual(line);
  });

  it("is that of one end of an order, but for its size", () => {
    const instance = readInstance(couriers);
    const facts: StopFacts = { amounts: [2], service: 3, windows: [[null, 9]] };
    const changed = readInstance(withFacts(instance, 3, facts));
    expect(factsOf(changed, 3)).toEqual(facts);
    expect(factsOf(changed, 1)).toEqual({ amounts: [2], service: null, windows: [] });
  });

  it("has as many windows and kinds of load as the file has", () => {
    const [first, ...rest] = line.customers;
    const one = { ...first!, demand: [1, 20], windows: [[1, 2], [3, 4]] as [number, number][] };
    const instance = readInstance({ ...line, customers: [one, ...rest] });
    expect(factsOf(instance, 0)).toEqual({ amounts: [1, 20], service: null, windows: [[1, 2], [3, 4]] });
    expect(factsOf(instance, 1).amounts).toEqual([1, null]);
    const facts: StopFacts = { amounts: [2, null], service: null, windows: [[null, null], [3, 5]] };
    const changed = withFacts(instance, 0, facts) as HcvrpDocument;
    expect(changed.customers[0]).toEqual({ ...first!, demand: [2, null], windows: [[3, 5]] });
    const none = withFacts(instance, 0, { amounts: [null, null], service: null, windows: [] }) as HcvrpDocument;
    expect(none.customers[0]).toEqual({ id: "a", x: 1, y: 0 });
  });
});

it("a vehicle's day ends early, and as it did again", () => {
  const early = readInstance(withShift(readInstance(line), 1, null, "11:00"));
  expect([shiftOf(early, 0), shiftOf(early, 1)]).toEqual([[null, null], [null, "11:00"]]);
  expect(withShift(early, 1, null, null)).toEqual(line);
});

it("a plan goes out as it came in", () => {
  const instance = readInstance(line);
  const plan = { problem: "hcvrp" as const, routes: [{ vehicle: "van", trips: [["b", "a"], ["c"]] }, { vehicle: "bike", trips: [["d"]] }] };
  expect(planOf(instance, tripsIn(readRoutes(instance, plan)))).toEqual(plan);
});

it("what is on board is what is still to be handed out", () => {
  const instance = readInstance(line);
  const routes = readRoutes(instance, { problem: "hcvrp", routes: [{ vehicle: "van", trips: [["a", "b"]] }] });
  const [trip] = routes.vehicles[0]!.trips;
  expect([aboard(routes, trip!, 0), aboard(routes, trip!, 1)]).toEqual([1, 0]);
});

it("plans are told from problems", () => {
  const plan = { problem: "hcvrp", routes: [] };
  expect(asPlan(plan)).toBe(plan);
  expect(asPlan({ objective: 1, plan })).toBe(plan);
  for (const other of [line, couriers, null, 3, { routes: 3 }, { ...line, routes: [] }]) expect(asPlan(other)).toBeNull();
});

it("addresses name what is shown and leave the rest alone", () => {
  expect(readAddress("?job=a1&with=b2")).toEqual({ job: "a1", other: "b2" });
  expect(readAddress("")).toEqual({ job: null, other: null });
  expect(writeAddress("?x=1&job=old&with=old", { job: "a1", other: null })).toBe("?x=1&job=a1");
  expect(writeAddress("?job=old", { job: null, other: "b" })).toBe("");
});

it("sheets of a vehicle are asked for by its name", () => {
  expect(sheetPath("a1", "gpx", null)).toBe("jobs/a1/sheet?format=gpx");
  expect(sheetPath("a1", "html", "van 1&2")).toBe("jobs/a1/sheet?format=html&vehicle=van+1%262");
});

it("days are told as one would today", () => {
  const now = new Date(2026, 10, 18, 12, 0);
  expect(whenText(new Date(2026, 10, 18, 9, 5), now)).toBe("09:05");
  expect(whenText(new Date(2026, 10, 16, 9, 5), now)).toBe("Mon 09:05");
  expect(whenText(new Date(2026, 9, 3, 9, 5), now)).toBe("3 Oct");
});
