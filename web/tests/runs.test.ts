import { describe, expect, it } from "vitest";
import { Runs } from "../src/app/runs";
import { progressWords } from "../src/app/words";
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

  it("says that it waits for code, until its time begins", async () => {
    const told = { time: 0.5, objective: 4, iterations: 1, schedule: [], plan: both };
    const events = [
      { event: "status", data: { status: "running", position: null } },
      { event: "progress", data: { time: 0, iterations: null, compiling: true } },
      { event: "improvement", data: told },
    ] as unknown as JobEvent[];
    const words: string[] = [];
    const client = {
      start: async () => ({ id: "1", position: null }),
      follow: async (_: string, __: AbortSignal, tell: (event: JobEvent) => void) => events.forEach(tell),
    } as unknown as Client;
    const runs = new Runs(client, (run) => words.push(progressWords(run)));
    await runs.start(readInstance(line), "refine", 1, 0);
    expect(words).toEqual(["0.0 of 1 s", expect.stringMatching(/^Getting ready/), "0.5 of 1 s, 1 iteration"]);
  });

  it("says so too while the service warms up", async () => {
    let looked = 0;
    const client = {
      start: async () => ({ id: "1", position: 1 }),
      isStarting: async () => looked++ === 0,
      follow: async () => {},
    } as unknown as Client;
    const runs = new Runs(client, () => {});
    void runs.watchStart(() => {});
    await Promise.resolve();
    const run = await runs.start(readInstance(line), "refine", 1, 0);
    expect(progressWords(run)).toMatch(/^Getting ready/);
  });

  it("leaves the solver to the service as long as none is known here", async () => {
    const orders: object[] = [];
    const client = {
      start: async (order: object) => (orders.push(order), { id: "1", position: 1 }),
      follow: async () => {},
    } as unknown as Client;
    await new Runs(client, () => {}).start(readInstance(line), "", 1, 0);
    expect(orders).toEqual([{ problem: line, time_limit: 1, seed: 0 }]);
  });
});
