import { describe, expect, it } from "vitest";
import { aboveWords, Bounds, boundMeaning, canCompare } from "../src/app/bounds";
import { Runs, type Run } from "../src/app/runs";
import type { HcvrpDocument, PlanDocument, ProblemDocument } from "../src/model/documents";
import { readInstance } from "../src/model/instance";
import { ServiceError, type BoundAnswer, type CheckAnswer, type Client } from "../src/service/client";

const line: HcvrpDocument = {
  problem: "hcvrp",
  depot: { x: 0, y: 0 },
  customers: [
    { id: "a", x: 1, y: 0 },
    { id: "b", x: 2, y: 0 },
  ],
  vehicles: [{ id: "red", speed: 1 }],
};
const all: PlanDocument = { problem: "hcvrp", routes: [{ vehicle: "red", trips: [["a"], ["b"]] }] };
const found: BoundAnswer = { value: 4, method: "trips", complete: true, seconds: 1 };

function planned(problem: ProblemDocument = line, plan: PlanDocument = all, more: Partial<CheckAnswer> = {}): Run {
  const runs = new Runs({} as Client, () => {});
  const checked = { feasible: true, objective: 6, violations: [], left_out: [], schedule: [], ...more };
  return runs.add(readInstance(problem), plan, checked, "a file");
}

describe("a bound", () => {
  it("is asked for once for each problem", async () => {
    const asked: ProblemDocument[] = [];
    const bounds = new Bounds(async (problem) => (asked.push(problem), found));
    expect(bounds.of(line)).toBeNull();
    const looking = bounds.find(line);
    expect(bounds.of(line)).toBe("looking");
    await bounds.find(line);
    await looking;
    expect(bounds.of(line)).toBe(found);
    expect(asked).toEqual([line]);
    // An edited problem is another one.
    expect(bounds.of({ ...line })).toBeNull();
  });

  it("that is refused stays so, and is asked for again where the service only had no time", async () => {
    let code = "too-busy";
    const bounds = new Bounds(async () => {
      throw new ServiceError(422, code, "in words");
    });
    await expect(bounds.find(line)).rejects.toThrow("in words");
    expect(bounds.of(line)).toBeNull();
    code = "no-bound";
    await bounds.find(line);
    expect(bounds.of(line)).toEqual({ refused: "in words" });
  });
});

describe("how good a plan is", () => {
  it("is never told too well", () => {
    const words = (objective: number, value = 1) => aboveWords(objective, { ...found, value });
    expect(words(1.041)).toBe("at most 4.1 %");
    expect(words(1.04101)).toBe("at most 4.2 %");
    expect(words(1.00001)).toBe("at most 0.1 %");
    expect(words(1.0 + 1e-12)).toBe("nothing: there is no better one");
    expect(words(0.9999999999)).toBe("nothing: there is no better one");
    expect(words(3.4567)).toBe("at most 246 %");
    expect(words(1, 0)).toBeNull();
  });

  it("has a meaning in the problem's words for time", () => {
    expect(boundMeaning(planned(), found)).toBe("No plan that serves everybody is over before 4.0000");
    const more = { ...found, complete: false };
    expect(boundMeaning(planned(), more)).toContain("; more time may prove more");
    const clock = planned({ ...line, time_unit: "minutes", vehicles: [{ id: "red", speed: 1, available: ["08:00", null] }] });
    // Six minutes after eight is when this plan is over.
    const routes = { ...clock.routes!, latest: 486 };
    expect(boundMeaning({ ...clock, routes }, found)).toBe("No plan that serves everybody is over before 08:04");
  });

  it("is a question for whole plans whose vehicles should be home soon", () => {
    expect(canCompare(planned())).toBe(true);
    expect(canCompare(null)).toBe(false);
    expect(canCompare({ ...planned(), status: "running" })).toBe(false);
    expect(canCompare(planned({ ...line, minimise: "distance" }))).toBe(false);
    expect(canCompare(planned(line, { problem: "hcvrp", routes: [{ vehicle: "red", trips: [["a"]] }] }))).toBe(false);
    expect(canCompare(planned(line, all, { violations: [{ code: "late", message: "" }] }))).toBe(false);
    expect(canCompare(planned(line, all, { left_out: [{ request: "a", reason: "far", fits_alone: null }] }))).toBe(false);
  });
});
