import { describe, expect, it } from "vitest";
import type { HcvrpDocument } from "../src/model/documents";
import { readInstance } from "../src/model/instance";
import { balance, readRoutes } from "../src/model/routes";
import { clockStep, goalWords, timeText, timesOf } from "../src/model/times";

const plain: HcvrpDocument = {
  problem: "hcvrp",
  depot: { x: 0, y: 0 },
  customers: [{ id: "a", x: 1, y: 0, demand: 1 }],
  vehicles: [{ id: "van", capacity: 2, speed: 1 }],
};
const day: HcvrpDocument = {
  ...plain,
  time_unit: "minutes",
  customers: [{ id: "a", x: 1, y: 0, service: 5, windows: [["08:30", null]] }],
  vehicles: [{ id: "van", available: ["08:00", "17:00"] }],
};

describe("times", () => {
  it("are numbers where nothing is told by the clock", () => {
    const times = timesOf(plain, true);
    expect(times.day).toBe(false);
    expect(timeText(times, 1.5)).toBe("1.5000 h");
    expect(clockStep(times, 10, 5)).toBeNull();
  });

  it("are told by the clock where the file does so", () => {
    const times = timesOf(day, false);
    expect(times.day).toBe(true);
    expect(timeText(times, 8 * 60 + 5)).toBe("08:05");
    expect(timeText(times, 25 * 60 + 30)).toBe("25:30");
    expect(clockStep(times, 8 * 60, 8)).toBe(60);
  });

  it("name the goal", () => {
    expect(goalWords(timesOf({ ...day, minimise: "distance" }, true))).toEqual(["Distance", "km"]);
    expect(goalWords(timesOf(day, true))).toEqual(["Makespan", "min"]);
  });
});

describe("a working day", () => {
  const instance = readInstance(day);

  it("has no limits where the file has none", () => {
    expect(instance.capacity[0]).toBe(Infinity);
    expect(instance.demand[0]).toBe(0);
    expect(instance.speed[0]).toBe(1);
  });

  it("is driven as the service says", () => {
    const stop = { load: 0, waiting: 0, service: 0 };
    const routes = readRoutes(
      instance,
      { problem: "hcvrp", objective: 36, routes: [{ vehicle: "van", trips: [["a"]] }] },
      [
        {
          vehicle: "van",
          begin: 509,
          departure: 509,
          finish: 516,
          distance: 2,
          stops: [
            { ...stop, task: "a", arrival: 509.5, waiting: 0.5, service: 5, departure: 515 },
            { ...stop, task: null, arrival: 516, departure: 516 },
          ],
        },
      ],
    );
    const [trip] = routes.vehicles[0]!.trips;
    expect([...trip!.arrival]).toEqual([509.5]);
    expect([...trip!.waiting]).toEqual([0.5]);
    expect([trip!.begin, trip!.end, trip!.open]).toEqual([509, 516, false]);
    expect([routes.first, routes.latest, routes.objective]).toEqual([509, 516, 36]);
    expect(balance(routes)).toBe(1);
  });

  it("may have no depot and end anywhere", () => {
    const { depot: _, ...rest } = day;
    const without = readInstance({ ...rest, vehicles: [{ id: "van", start: { x: 3, y: 4 } }] });
    expect([without.startX[0], without.startY[0]]).toEqual([3, 4]);
    expect(without.openEnd).toEqual([true]);
  });
});
