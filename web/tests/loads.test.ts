import { describe, expect, it } from "vitest";

import type { HcvrpDocument, OmdcpdpDocument } from "../src/model/documents";
import { moveTask } from "../src/model/edits";
import { readInstance } from "../src/model/instance";
import { aboardAfter, amountsOf, carriedBy, loadNames, loadText, roomOf } from "../src/model/loads";

const parcels: HcvrpDocument = {
  problem: "hcvrp",
  depot: { x: 0, y: 0 },
  loads: ["Parcels", "kg"],
  customers: [
    { id: "a", x: 1, y: 0, demand: [1, 20] },
    { id: "b", x: 2, y: 0, demand: [2, null] },
    { id: "c", x: 3, y: 0 },
  ],
  vehicles: [
    { id: "van", capacity: [3, 15], speed: 1 },
    { id: "truck", capacity: null, speed: 1 },
  ],
};
const couriers: OmdcpdpDocument = {
  problem: "omdcpdp",
  orders: [
    { id: "x", pickup: { x: 1, y: 0 }, delivery: { x: 2, y: 0 }, size: [2, 5] },
    { id: "y", pickup: { x: 3, y: 0 }, delivery: { x: 4, y: 0 } },
  ],
  vehicles: [{ id: "anna", x: 0, y: 0, capacity: [4, 9] }],
};

describe("loads of several kinds", () => {
  it("have the names of the file, or numbers", () => {
    expect(loadNames(parcels)).toEqual(["Parcels", "kg"]);
    expect(loadNames({ ...parcels, loads: null })).toEqual(["Amount 1", "Amount 2"]);
    expect(loadNames({ ...parcels, loads: null, customers: [], vehicles: [] })).toEqual(["Amount"]);
  });

  it("are those of a stop, of a vehicle and on board", () => {
    const instance = readInstance(parcels);
    expect([0, 1, 2].map((task) => amountsOf(instance, task))).toEqual([[1, 20], [2, 0], [0, 0]]);
    expect([roomOf(instance, 0), roomOf(instance, 1)]).toEqual([[3, 15], [Infinity, Infinity]]);
    expect([0, 1].map((at) => aboardAfter(instance, [1, 0], at))).toEqual([[1, 20], [0, 0]]);
    expect(carriedBy(instance, [[0], [1]])).toEqual([3, 20]);
    expect(loadText(parcels, [1, 20])).toBe("Parcels 1, kg 20");
  });

  it("come on board and leave with an order", () => {
    const instance = readInstance(couriers);
    expect([0, 1].map((task) => amountsOf(instance, task))).toEqual([[2, 5], [1, 0]]);
    expect([0, 1, 2].map((at) => aboardAfter(instance, [0, 1, 2], at))).toEqual([[2, 5], [3, 5], [1, 0]]);
    expect(carriedBy(instance, [[0, 1, 2, 3]])).toEqual([3, 5]);
    expect(carriedBy(instance, [[0, 2, 1, 3]])).toEqual([2, 5]);
  });

  it("all count when a stop moves", () => {
    const instance = readInstance(parcels);
    expect(moveTask(instance, [[[1]], [[0]]], 0, 0)).toEqual([[[1], [0]], []]);
    expect(moveTask(instance, [[[0]], [[1]]], 0, 1)).toEqual([[], [[0, 1]]]);
  });
});
