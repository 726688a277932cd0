import { describe, expect, it } from "vitest";
import { planWords } from "../src/app/files";
import { fewOfEach } from "../src/app/violations";

describe("broken rules", () => {
  it("are told a few of each kind", () => {
    const done = Array.from({ length: 30 }, (_, i) => ({ code: "unknown-task", message: `done ${i} is unknown` }));
    const told = fewOfEach([...done, { code: "late", message: "too late", vehicles: ["van"], hint: "Earlier." }]);
    expect(told.map((each) => each.code)).toEqual([...Array(6).fill("unknown-task"), "late"]);
    expect(told[5]!.field).toBe("25 more");
    expect(told[6]).toEqual({ code: "late", field: "van", value: "", message: "too late", hint: "Earlier." });
  });
});

describe("a plan alone", () => {
  it("says who serves what", () => {
    const many = Array.from({ length: 10 }, (_, i) => `s${i}`);
    const words = planWords({
      problem: "hcvrp",
      routes: [
        { vehicle: "red", trips: [["a"], ["b"]] },
        { vehicle: "blue", trips: [] },
        { vehicle: "van", trips: [many] },
      ],
    });
    expect(words).toBe("red: a, b; blue: nothing; van: s0, s1, s2, s3, s4, s5, s6, s7 and 2 more.");
  });

  it("tells pickups from deliveries", () => {
    const stops = [{ order: "7", action: "pickup" as const }, { order: "7", action: "delivery" as const }];
    expect(planWords({ problem: "omdcpdp", routes: [{ vehicle: "Ann", stops }] })).toBe("Ann: pickup 7, delivery 7.");
  });
});
