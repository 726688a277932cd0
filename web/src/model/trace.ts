/** The parallel construction, step by step: what the routes were after each step, and who lost. */

import { taskKey, type Instance } from "./instance";
import { routesOf, type Routes } from "./routes";

type TaskReference = string | number | { order: string | number; action: string } | null;

const HOME = "home";

export interface ActionDocument {
  vehicle: string | number;
  task?: TaskReference;
  kind: "serve" | "home" | "wait" | "stay";
  probability?: number | null;
  /** The stop of the open trip that the task was put behind, or "home"; at the end when left out. */
  behind?: TaskReference;
}

export interface ConflictDocument {
  task: TaskReference;
  won?: string | number | null;
  lost?: (string | number)[];
}

export interface TraceDocument {
  steps: { actions: ActionDocument[]; conflicts: ConflictDocument[] }[];
  objective: number;
}

export interface Move {
  readonly vehicle: number;
  /** A task, or -1 for home. */
  readonly to: number;
  readonly probability: number | null;
  /** The task of the open trip that it was put behind, -1 for home; null at the end of the trip. */
  readonly behind: number | null;
}

export interface Conflict {
  readonly task: number;
  readonly won: number;
  readonly lost: number[];
}

export interface TraceStep {
  readonly moves: Move[];
  readonly conflicts: Conflict[];
  readonly waiting: number;
}

export class Trace {
  readonly steps: TraceStep[];
  readonly objective: number;

  constructor(
    readonly instance: Instance,
    document: TraceDocument,
  ) {
    this.objective = document.objective;
    this.steps = document.steps.map((step) => ({
      moves: step.actions.flatMap((action) => this.move(action)),
      conflicts: step.conflicts.flatMap((conflict) => this.conflict(conflict)),
      waiting: step.actions.filter((action) => action.kind === "wait" || action.kind === "stay").length,
    }));
  }

  /** The routes after so many steps; trips that are under way have no way home yet. */
  routesAfter(steps: number): Routes {
    const trips: number[][][] = this.instance.vehicleNames.map(() => [[]]);
    for (const step of this.steps.slice(0, steps)) {
      for (const { vehicle, to, behind } of step.moves) {
        const own = trips[vehicle]!;
        const trip = own.at(-1)!;
        // Home is in no trip, so what was put behind it comes first.
        if (to >= 0) trip.splice(behind === null ? trip.length : trip.indexOf(behind) + 1, 0, to);
        else if (trip.length > 0) own.push([]);
      }
    }
    const underWay = trips.map((own) => own.at(-1)!.length > 0);
    const full = trips.map((own) => own.filter((trip) => trip.length > 0));
    const done = steps >= this.steps.length && this.instance.kind === "hcvrp";
    return routesOf(this.instance, full, (vehicle) => !done && underWay[vehicle]!);
  }

  /** The task at which each vehicle stands after so many steps, or -1 for its start. */
  placesAfter(steps: number): Int32Array {
    const places = new Int32Array(this.instance.vehicleNames.length).fill(-1);
    for (const step of this.steps.slice(0, steps)) {
      for (const { vehicle, to } of step.moves) places[vehicle] = to;
    }
    return places;
  }

  private move(action: ActionDocument): Move[] {
    const vehicle = this.instance.vehicleIndex.get(String(action.vehicle));
    if (vehicle === undefined || (action.kind !== "serve" && action.kind !== "home")) return [];
    const to = action.kind === "home" ? -1 : this.task(action.task ?? null);
    if (to === undefined) return [];
    const behind = action.behind === HOME ? -1 : (this.task(action.behind ?? null) ?? null);
    return [{ vehicle, to, probability: action.probability ?? null, behind }];
  }

  private conflict(conflict: ConflictDocument): Conflict[] {
    const task = this.task(conflict.task);
    if (task === undefined) return [];
    const vehicle = (id: string | number) => this.instance.vehicleIndex.get(String(id)) ?? -1;
    const lost = (conflict.lost ?? []).map(vehicle).filter((each) => each >= 0);
    return [{ task, won: conflict.won == null ? -1 : vehicle(conflict.won), lost }];
  }

  private task(reference: TaskReference): number | undefined {
    if (reference === null) return undefined;
    const key =
      typeof reference === "object" ? taskKey(reference.order, reference.action) : String(reference);
    return this.instance.taskIndex.get(key);
  }
}
