import { describe, expect, it } from "vitest";
import { Runs } from "../src/app/runs";
import type { HcvrpDocument, PlanDocument } from "../src/model/documents";
import { readInstance } from "../src/model/instance";
import type { Client, JobEvent } from "../src/service/client";

const line: HcvrpDocument = {
  problem: "hcvrp",
  depot: { x: 0, y: 0 },
  customers: [
    { id: "a", x: 1, y: 0 },
    { id: "b", x: 2, y: 0 },
  ],
  vehicles: [
    { id: "red", speed: 1 },
    { id: "blue", speed: 1 },
  ],
};
const both: PlanDocument = { problem: "hcvrp", routes: [{ vehicle: "red", trips: [["a", "b"]] }, { vehicle: "blue", trips: [] }] };
const apart: PlanDocument = { problem: "hcvrp", routes: [{ vehicle: "red", trips: [["b"]] }, { vehicle: "blue", trips: [["a"]] }] };

describe("a run", () => {
  it("ends with the last plan, also where an earlier one costs the same", async () => {
    Object.assign(globalThis, { sessionStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} } });
    const told = { time: 0.1, objective: 4, iterations: 1, schedule: [] };
    const result = { plan: both, objective: 4, iterations: 2, seconds: 1, history: [[0.1, 4]], schedule: [], left_out: [] };
    const events = [
      { event: "improvement", data: { ...told, plan: apart } },
      { event: "end", data: { id: "1", status: "finished", position: null, error: null, result } },
    ] as unknown as JobEvent[];
    const client = {
      start: async () => ({ id: "1", position: null }),
      follow: async (_: string, __: AbortSignal, tell: (event: JobEvent) => void) => events.forEach(tell),
    } as unknown as Client;
    const runs = new Runs(client, () => {});
    const run = await runs.start(readInstance(line), "refine", 1, 0);
    await Promise.resolve();
    expect(run.status).toBe("finished");
    expect(run.plan).toBe(both);
    expect(run.routes!.vehicles.map((each) => each.distance)).toEqual([4, 0]);
  });
});
