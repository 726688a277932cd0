import { describe, expect, it } from "vitest";

import type { HcvrpDocument, OmdcpdpDocument, ProblemDocument } from "../src/model/documents";
import { withShift } from "../src/model/edits";
import { readInstance } from "../src/model/instance";
import {
  allowedFor,
  canLift,
  liftOf,
  lockedStops,
  lockTask,
  lockVehicle,
  originOf,
  setOrigin,
} from "../src/model/locks";

const line: HcvrpDocument = {
  problem: "hcvrp",
  depot: { x: 0, y: 0 },
  customers: ["a", "b", "c", "d"].map((id, i) => ({ id, x: i + 1, y: 0, demand: 1 })),
  vehicles: [
    { id: "van", capacity: 3, speed: 1 },
    { id: "bike", capacity: 2, speed: 1 },
  ],
};
const cold: HcvrpDocument = {
  ...line,
  customers: line.customers.map((customer, i) => (i === 0 ? { ...customer, vehicles: ["van", "bike"] } : customer)),
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
const route = { vehicle: "van", trips: [["a", "b"], ["c"]] };

/** As it comes back from the service or after a reload: equal, and nothing is known of it. */
function copy(document: ProblemDocument): ProblemDocument {
  return JSON.parse(JSON.stringify(document)) as ProblemDocument;
}

describe("a stop", () => {
  it("is locked to its vehicle and let go again", () => {
    const locked = readInstance(lockTask(readInstance(line), 1, "bike"));
    expect(allowedFor(locked, 1)).toEqual(["bike"]);
    expect(allowedFor(locked, 0)).toBeNull();
    expect(lockTask(locked, 1, null)).toEqual(line);
    const order = readInstance(lockTask(readInstance(couriers), 3, "ben"));
    expect([allowedFor(order, 1), allowedFor(order, 3)]).toEqual([["ben"], ["ben"]]);
  });

  it("goes back to what the file asks for", () => {
    const locked = readInstance(lockTask(readInstance(cold), 0, "van"));
    expect([liftOf(locked, 0), liftOf(locked, 1)]).toEqual(["back", null]);
    const free = readInstance(lockTask(locked, 0, null));
    expect(allowedFor(free, 0)).toEqual(["van", "bike"]);
    expect(liftOf(free, 0)).toBeNull();
  });
});

describe("a vehicle", () => {
  it("keeps its route and is let go again", () => {
    const locked = readInstance(lockVehicle(readInstance(line), 0, route));
    expect(locked.document.vehicles[0]!.locked).toEqual(route.trips);
    expect([lockedStops(locked, 0), lockedStops(locked, 1)]).toEqual([3, 0]);
    expect(lockVehicle(locked, 0, null)).toEqual(line);
    const stops = [{ order: "x", action: "pickup" as const }];
    const courier = lockVehicle(readInstance(couriers), 1, { vehicle: "ben", stops });
    expect(courier.vehicles[1]!.locked).toEqual(stops);
  });

  it("that the file locks stays so", () => {
    const driving = { ...line, vehicles: [{ ...line.vehicles[0]!, locked: [["a"]] }, line.vehicles[1]!] };
    const instance = readInstance(driving);
    expect(canLift(instance, 0)).toBe(false);
    const more = readInstance(lockVehicle(instance, 0, route));
    expect(canLift(more, 0)).toBe(true);
    expect(lockVehicle(more, 0, null).vehicles[0]!.locked).toEqual([["a"]]);
  });
});

describe("after a reload", () => {
  const both = lockVehicle(readInstance(withShift(readInstance(lockTask(readInstance(cold), 0, "van")), 1, 1, 2)), 0, route);

  it("locks are lifted to what stood there before, where that was noted", () => {
    const again = copy(both);
    setOrigin(again, JSON.parse(JSON.stringify(originOf(both))));
    const instance = readInstance(again);
    expect(liftOf(instance, 0)).toBe("back");
    expect(allowedFor(readInstance(lockTask(instance, 0, null)), 0)).toEqual(["van", "bike"]);
    expect(canLift(instance, 0)).toBe(true);
    expect(lockedStops(readInstance(lockVehicle(instance, 0, null)), 0)).toBe(0);
    expect(originOf(again)).toEqual(originOf(both));
  });

  it("they are lifted to anybody, where nobody knows", () => {
    const again = copy(both);
    setOrigin(again, null);
    expect(originOf(again)).toBeNull();
    const instance = readInstance(again);
    expect(liftOf(instance, 0)).toBe("open");
    const free = readInstance(lockTask(instance, 0, null));
    expect(allowedFor(free, 0)).toBeNull();
    expect(lockedStops(readInstance(lockVehicle(free, 0, null)), 0)).toBe(0);
    // And what is locked anew is lifted anew.
    const locked = readInstance(lockTask(free, 0, "bike"));
    expect(allowedFor(readInstance(lockTask(locked, 0, null)), 0)).toBeNull();
  });

  it("what the file asks for stays, where it is known that nothing was locked", () => {
    const alone: HcvrpDocument = copy(line) as HcvrpDocument;
    alone.customers[0]!.vehicles = ["van"];
    const again = copy(alone);
    setOrigin(again, originOf(alone));
    expect(liftOf(readInstance(again), 0)).toBeNull();
  });

  it("what the service locked because it has begun can be lifted", () => {
    const origin = originOf(line, true);
    const kept = copy(line) as HcvrpDocument;
    kept.vehicles[0]!.locked = [["a"]];
    setOrigin(kept, origin);
    const instance = readInstance(kept);
    expect(canLift(instance, 0)).toBe(true);
    expect(lockVehicle(instance, 0, null)).toEqual(line);
  });
});
