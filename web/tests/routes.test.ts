import { expect, test } from "vitest";

import { leftOutWords } from "../src/app/words";
import type { HcvrpDocument, OmdcpdpDocument } from "../src/model/documents";
import { fromPlane, readInstance, toPlane } from "../src/model/instance";
import { balance, readRoutes } from "../src/model/routes";

const twoVans: HcvrpDocument = {
  problem: "hcvrp",
  depot: { x: 0, y: 0 },
  customers: [
    { id: "baker", x: 3, y: 4, demand: 2 },
    { id: "school", x: 3, y: 0, demand: 3 },
    { id: 7, x: 0, y: 2, demand: 1 },
  ],
  vehicles: [
    { id: "van", capacity: 5, speed: 2 },
    { id: "bicycle", capacity: 1, speed: 0.5 },
  ],
};

const oneOrder: OmdcpdpDocument = {
  problem: "omdcpdp",
  orders: [{ pickup: { x: 0, y: 1 }, delivery: { x: 0, y: 3 } }],
  vehicles: [{ x: 0, y: 0, capacity: 1 }],
};

test("a trip begins and ends at the depot, and time is distance over speed", () => {
  const routes = readRoutes(readInstance(twoVans), {
    problem: "hcvrp",
    routes: [
      { vehicle: "van", trips: [["baker", "school"]] },
      { vehicle: "bicycle", trips: [[7]] },
    ],
  });
  const [van, bicycle] = routes.vehicles;
  expect(van!.distance).toBe(5 + 4 + 3);
  expect(Array.from(van!.trips[0]!.arrival)).toEqual([2.5, 4.5]);
  expect(van!.finish).toBe(6);
  expect(van!.load).toBe(5);
  expect(bicycle!.finish).toBe(8);
  expect(routes.objective).toBe(8);
  expect(balance(routes)).toBe(7 / 8);
  expect(Array.from(routes.server)).toEqual([0, 0, 1]);
  expect(leftOutWords(routes)).toBe("");
});

test("vehicles without a route stay at home", () => {
  const routes = readRoutes(readInstance(twoVans), { problem: "hcvrp", routes: [] });
  expect(routes.latest).toBe(0);
  expect(Array.from(routes.server)).toEqual([-1, -1, -1]);
  expect([routes.served, routes.leftOut]).toEqual([0, 3]);
  expect(leftOutWords(routes)).toBe("Nobody can be served");
});

test("an open route counts what its deliveries wait, and nothing after them", () => {
  const routes = readRoutes(readInstance(oneOrder), {
    problem: "omdcpdp",
    routes: [
      {
        vehicle: "v1",
        stops: [
          { order: "o1", action: "pickup" },
          { order: "o1", action: "delivery" },
        ],
      },
    ],
  });
  expect(routes.objective).toBe(3);
  expect(routes.vehicles[0]!.finish).toBe(3);
  expect(routes.vehicles[0]!.load).toBe(1);
});

test("the plane is in kilometres, and the way back leads back", () => {
  const origin = [5.085, 52.102] as const;
  const [x, y] = toPlane({ lon: 5.085, lat: 53.102 }, origin);
  expect(x).toBe(0);
  expect(y).toBeCloseTo(111.195, 2);
  const [lon, lat] = fromPlane(...toPlane({ lon: 5.2, lat: 52 }, origin), origin);
  expect(lon).toBeCloseTo(5.2, 12);
  expect(lat).toBeCloseTo(52, 12);
});

test("over the date line it is a short way", () => {
  const [x] = toPlane({ lon: -179.9, lat: 0 }, [179.9, 0]);
  expect(x).toBeCloseTo(22.24, 1);
});
