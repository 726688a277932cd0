import { expect, test } from "vitest";

import type { HcvrpDocument, OmdcpdpDocument } from "../src/model/documents";
import { readInstance } from "../src/model/instance";
import { readRoutes } from "../src/model/routes";
import { waysOf } from "../src/model/ways";

const rest: HcvrpDocument = {
  problem: "hcvrp",
  depot: { x: 0, y: 0 },
  customers: [
    { id: "a", x: 3, y: 4 },
    { id: "b", x: 6, y: 4 },
    { id: "c", x: 1, y: 1 },
  ],
  vehicles: [{ id: "waits", start: { x: 3, y: 4 }, on_board: ["a", "b"] }, { id: "empty", start: { x: 9, y: 9 } }, { id: "home" }],
};

test("a van under way goes on from where it is, an empty one loads first", () => {
  const routes = readRoutes(readInstance(rest), {
    problem: "hcvrp",
    routes: [
      { vehicle: "waits", trips: [["a", "b"], ["c"]] },
      { vehicle: "empty", trips: [["c"]] },
      { vehicle: "home", trips: [["c"]] },
    ],
  });
  const [waits, empty, home] = routes.vehicles.map((route) => waysOf(routes.instance, route));
  expect(waits![0]).toEqual({ before: [[3, 4]], stops: [[3, 4], [6, 4]], after: [0, 0] });
  expect(waits![1]!.before).toEqual([[0, 0]]);
  expect(empty![0]!.before).toEqual([[9, 9], [0, 0]]);
  expect(home![0]).toEqual({ before: [[0, 0]], stops: [[1, 1]], after: [0, 0] });
});

test("vehicles end where they are to end", () => {
  const document: HcvrpDocument = { ...rest, vehicles: [{ id: "van", end: { x: 7, y: 7 } }] };
  const routes = readRoutes(readInstance(document), { problem: "hcvrp", routes: [{ vehicle: "van", trips: [["a"], ["c"]] }] });
  expect(waysOf(routes.instance, routes.vehicles[0]!).map((way) => way.after)).toEqual([[0, 0], [7, 7]]);
});

test("a courier does not go back for what is on board", () => {
  const order = { id: 7, pickup: { x: 0, y: 1 }, delivery: { x: 0, y: 3 } };
  const document: OmdcpdpDocument = { problem: "omdcpdp", orders: [order], vehicles: [{ x: 2, y: 2, on_board: ["7"] }] };
  const stops = (["pickup", "delivery"] as const).map((action) => ({ order: 7, action }));
  const routes = readRoutes(readInstance(document), { problem: "omdcpdp", routes: [{ vehicle: "v1", stops }] });
  expect(waysOf(routes.instance, routes.vehicles[0]!)).toEqual([{ before: [[2, 2]], stops: [[2, 2], [0, 3]], after: null }]);
});
