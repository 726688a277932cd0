import { expect, test } from "vitest";

import { readInstance } from "../src/model/instance";
import { Trace, type ActionDocument } from "../src/model/trace";

const instance = readInstance({
  problem: "hcvrp",
  depot: { x: 0, y: 0 },
  customers: [1, 2, 3].map((x) => ({ x, y: 0, demand: 1 })),
  vehicles: [1, 2].map(() => ({ capacity: 2, speed: 1 })),
});

const trace = new Trace(instance, {
  objective: 6,
  steps: [
    {
      actions: [
        { vehicle: "v1", task: "c1", kind: "serve", probability: 0.9 },
        { vehicle: "v2", task: null, kind: "wait" },
      ],
      conflicts: [{ task: "c1", won: "v1", lost: ["v2"] }],
    },
    {
      actions: [
        { vehicle: "v1", task: null, kind: "home" },
        { vehicle: "v2", task: "c3", kind: "serve" },
      ],
      conflicts: [],
    },
    { actions: [{ vehicle: "v1", task: "c2", kind: "serve" }], conflicts: [] },
  ],
});

test("routes grow step by step and are closed at the end", () => {
  expect(trace.routesAfter(0).latest).toBe(0);
  expect(trace.routesAfter(1).vehicles[0]!.finish).toBe(1);
  const second = trace.routesAfter(2);
  expect(second.vehicles.map((route) => route.finish)).toEqual([2, 3]);
  const last = trace.routesAfter(3);
  expect(last.vehicles.map((route) => route.finish)).toEqual([6, 6]);
  expect(last.vehicles[0]!.trips.length).toBe(2);
});

test("places are those of the last move", () => {
  expect(Array.from(trace.placesAfter(1))).toEqual([0, -1]);
  expect(Array.from(trace.placesAfter(2))).toEqual([-1, 2]);
});

test("a conflict knows who won and who lost", () => {
  expect(trace.steps[0]!.conflicts).toEqual([{ task: 0, won: 0, lost: [1] }]);
  expect(trace.steps[0]!.waiting).toBe(1);
});

test("tasks are put behind the stop that is told, and places stay those of the last move", () => {
  const serve = (task: string, behind: string | null = null): ActionDocument => ({
    vehicle: "v1",
    task,
    kind: "serve",
    behind,
  });
  const home: ActionDocument = { vehicle: "v1", kind: "home" };
  const tripsAfter = (actions: ActionDocument[]) => {
    const steps = actions.map((action) => ({ actions: [action], conflicts: [] }));
    const told = new Trace(instance, { objective: 6, steps });
    expect(told.placesAfter(steps.length)[0]).toBe(told.steps.at(-1)!.moves[0]!.to);
    return told.routesAfter(steps.length).vehicles[0]!.trips.map((trip) => Array.from(trip.tasks));
  };
  expect(tripsAfter([serve("c3"), serve("c1", "home")])).toEqual([[0, 2]]);
  expect(tripsAfter([serve("c3"), serve("c1", "home"), serve("c2", "c1")])).toEqual([[0, 1, 2]]);
  expect(tripsAfter([serve("c1"), serve("c3"), serve("c2")])).toEqual([[0, 2, 1]]);
  expect(tripsAfter([serve("c1"), home, serve("c3"), serve("c2", "home")])).toEqual([[0], [1, 2]]);
});
