import { describe, expect, it } from "vitest";
import type { HcvrpDocument } from "../src/model/documents";
import { readInstance } from "../src/model/instance";
import { balance, readRoutes } from "../src/model/routes";
import { scaleFor, scaleOf } from "../src/model/scale";
import { clockStep, goalText, goalWord, minutesText, spanText, timeCell, timeText, timesOf } from "../src/model/times";

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
  it("are numbers where nobody knows their unit", () => {
    const times = timesOf(plain, false);
    expect(times.day).toBe(false);
    expect(timeText(times, 1.5)).toBe("1.5000");
    expect(minutesText(times, 1.5)).toBe("1.50");
    expect(clockStep(times, 10, 5)).toBeNull();
  });

  it("are hours and minutes where the unit is known", () => {
    const times = timesOf(plain, true);
    expect(timeText(times, 1.3091)).toBe("1 h 19 min");
    expect(timeText(times, 0.9999)).toBe("1 h");
    expect(spanText(times, 0.075)).toBe("4 min 30 s");
    expect(timeCell(times, 0.075)).toBe("5 min");
    expect(spanText(times, -1.5)).toBe("−1 h 30 min");
    expect(spanText(times, 0)).toBe("0 min");
    expect(spanText(timesOf(day, false), 90)).toBe("1 h 30 min");
    expect(minutesText(timesOf(day, false), 12.4)).toBe("12 min");
    expect(clockStep(times, 10, 5)).toBe(2);
    expect(clockStep(times, 24 * 100, 5)! * 5).toBeGreaterThanOrEqual(24 * 100);
  });

  it("of couriers without speeds are kilometres", () => {
    const times = timesOf({ problem: "omdcpdp", orders: [], vehicles: [] }, true);
    expect(timeText(times, 12.2011)).toBe("12.201 km");
  });

  it("are told by the clock where the file does so", () => {
    const times = timesOf(day, false);
    expect(times.day).toBe(true);
    expect(timeText(times, 8 * 60 + 5)).toBe("08:05");
    expect(timeText(times, 25 * 60 + 30)).toBe("25:30");
    expect(clockStep(times, 8 * 60, 8)).toBe(60);
  });

  it("name the goal", () => {
    const far = timesOf({ ...day, minimise: "distance" }, true);
    expect([goalWord(far), ...goalText(far, 12)]).toEqual(["Distance", "12.000", "km"]);
    const clock = timesOf(day, true);
    expect([goalWord(clock), ...goalText(clock, 325.5, 805.5)]).toEqual(["Home by", "13:26", ""]);
    expect(goalText(clock, 325.5)).toEqual(["5 h 26 min", ""]);
    expect(goalWord(timesOf(plain, true))).toBe("All home after");
  });

  it("tell a makespan by the clock where there is one", () => {
    const scale = scaleFor(timesOf(day, true), 325.5, 805.5);
    expect(scale.text(325.5)).toBe("13:26");
    expect(scale.tick(300, 60)).toBe("13:00");
    expect(scale.step(8, 5)).toBe(2);
    expect(scaleFor(timesOf(day, true), null, null).text(90)).toBe("1 h 30 min");
  });

  it("are told by the clock where the problem says so, whatever its numbers are", () => {
    expect(timesOf({ ...plain, clock: "HH:MM" }, false).clock).toBe(true);
  });

  it("have axes with round steps, in seconds where they are short", () => {
    const scale = scaleOf(timesOf(plain, true));
    const step = scale.step(0.05, 5);
    expect(step).toBeCloseTo(15 / 3600 * 4, 12);
    expect(scale.tick(1.3, 1 / 60)).toBe("1 h 18 min");
    expect(scale.tick(1.3 + 10 / 3600, 10 / 3600)).toBe("1 h 18 min 10 s");
    expect(scaleOf(null).tick(1.5, 0.25)).toBe("1.5");
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
