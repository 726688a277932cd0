/** Runs of solvers: started here or found on the service, followed while they improve. */

import { plural } from "../model/format";
import type { LeftOutDocument, PlanDocument, ProblemDocument, VehicleSchedule } from "../model/documents";
import { readInstance, type Instance } from "../model/instance";
import { originOf, setOrigin } from "../model/locks";
import { readRoutes, type Routes } from "../model/routes";
import {
  ServiceError,
  type CheckAnswer,
  type Client,
  type JobAnswer,
  type JobEvent,
  type RestOf,
  type Status,
  type Violation,
} from "../service/client";
import { keepOrigin, recallOrigin } from "./address";
import { restOf, setRestOf } from "./rests";

export interface Run {
  readonly id: string;
  /** Whether the service keeps it; others came from a file or from a hand, or are gone there. */
  kept: boolean;
  /** Whether the service is silent while it should tell of it. */
  silent: boolean;
  /** Whether code that it needs is being compiled, before its time begins. */
  compiling: boolean;
  /** When it was asked for. */
  readonly created: Date;
  /** How many stops it is about. */
  size: number;
  solver: string;
  /** Null for solvers that take what they take. */
  limit: number | null;
  seed: number;
  title: string;
  status: Status;
  position: number | null;
  /** Null for an earlier run until it is looked at. */
  instance: Instance | null;
  plan: PlanDocument | null;
  routes: Routes | null;
  /** What nobody serves, once the run is over. */
  leftOut: LeftOutDocument[];
  /** Rules that a plan from a file or a hand breaks; solvers break none. */
  violations: Violation[];
  objective: number | null;
  /** The objective before it was changed by hand. */
  from: number | null;
  history: [number, number][];
  time: number;
  iterations: number;
  error: string | null;
  /** The worst finishing time so far, where the schedule's axis ends. */
  reach: number;
}

const MOST_AT_ONCE = 500;
const START_MS = 3000;

/** Whether a job is not there (any more). */
export function isGone(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 404;
}

export function isLive(run: Run): boolean {
  return run.status === "queued" || run.status === "running";
}

/** The first in the queue waits only for a worker to be ready. */
export function waitingWords(run: Run): string {
  const ahead = (run.position ?? 1) - 1;
  return ahead > 0 ? `Waiting, ${ahead} ahead` : "Waiting for a worker";
}

export class Runs {
  list: Run[] = [];
  /** Solvers that do not go on until their time is over. */
  atOnce: ReadonlySet<string> = new Set();
  /** Whether the service is still warming up: runs wait for that. */
  warming = false;
  private local = 0;
  /** Where the jobs that are not listed yet begin, if there are any. */
  cursor: string | null = null;
  private readonly followed = new Map<string, AbortController>();

  constructor(
    private readonly client: Client,
    private readonly changed: (run: Run, improved: boolean) => void,
  ) {}

  /** Plan anew, or from a plan that is there. */
  async start(
    instance: Instance,
    solver: string,
    limit: number,
    seed: number,
    start: PlanDocument | null = null,
    keep: number | null = null,
  ): Promise<Run> {
    // Before the page knows any solver, the service takes its usual one.
    const named = solver === "" ? {} : { solver };
    const order = { problem: instance.document, ...named, time_limit: limit, seed };
    const begin = start ? { start, ...(keep === null ? {} : { keep }) } : {};
    const rest = restOf(instance.document);
    const answer = await this.client.start({ ...order, ...begin, ...(rest?.job ? { rest_of: rest } : {}) });
    keepOrigin(answer.id, originOf(instance.document, "keep" in begin));
    const told = this.atOnce.has(solver) ? null : limit;
    const run = newRun(answer.id, new Date(), titleOf(instance), solver, told, seed);
    run.instance = instance;
    run.position = answer.position;
    run.compiling = this.warming;
    this.list.unshift(run);
    void this.follow(run);
    return run;
  }

  /** Look until the service is warm; its first start takes a minute or two. */
  async watchStart(looked: () => void): Promise<void> {
    for (;;) {
      this.warming = await this.client.isStarting();
      looked();
      if (!this.warming) return;
      await new Promise((resolve) => setTimeout(resolve, START_MS));
    }
  }

  async stop(run: Run): Promise<void> {
    const job = await this.client.stop(run.id);
    this.finish(run, job);
  }

  /** A plan that no solver made: it is there at once, and nowhere else. */
  add(instance: Instance, plan: PlanDocument, found: CheckAnswer, origin: string): Run {
    const run = newRun(`own-${++this.local}`, new Date(), titleOf(instance), origin, null, 0, false);
    run.instance = instance;
    this.setChecked(run, plan, found);
    this.list.unshift(run);
    return run;
  }

  /** What the checker found about the plan of such a run. */
  setChecked(run: Run, plan: PlanDocument, found: CheckAnswer): void {
    run.status = "finished";
    run.leftOut = found.left_out;
    run.violations = found.violations;
    const routes = readRoutes(run.instance!, plan, found.schedule);
    this.setPlan(run, plan, found.objective ?? routes.objective, found.schedule);
    run.history = [[0, run.objective!]];
  }

  /** The last jobs that the service still knows; once more, those before them. */
  async loadEarlier(limit: number): Promise<void> {
    const { jobs, next } = await this.client.jobs(limit, this.cursor);
    this.cursor = next;
    for (const job of jobs) if (!this.known(job.id)) this.list.push(this.earlier(job));
  }

  /** A run by its job, listed or not. */
  async find(id: string): Promise<Run> {
    const known = this.known(id);
    if (known) return known;
    const run = this.earlier(await this.client.job(id));
    this.list.push(run);
    this.list.sort((a, b) => b.created.getTime() - a.created.getTime());
    return run;
  }

  private known(id: string): Run | undefined {
    return this.list.find((run) => run.id === id);
  }

  private earlier(job: JobAnswer): Run {
    const title = job.name ?? sizeWords(job.kind, job.tasks, job.vehicles);
    const limit = this.atOnce.has(job.solver) ? null : job.time_limit;
    const run = newRun(job.id, new Date(job.created), title, job.solver, limit, job.seed);
    run.status = job.status;
    run.objective = job.objective;
    run.size = job.tasks;
    return run;
  }

  /** Fetch what an earlier run was about; a live one is followed from here on. */
  async open(run: Run): Promise<void> {
    if (run.instance) return;
    const [problem, job] = await Promise.all([this.client.problem(run.id), this.client.job(run.id)]);
    setOrigin(problem, recallOrigin(run.id));
    run.instance = this.instanceOf(problem, job.options?.rest_of ?? null);
    this.finish(run, job);
    if (isLive(run)) void this.follow(run);
  }

  /** Open the newest that have ended, as far as they are small. */
  async openSome(most: number): Promise<void> {
    const small = this.list.slice(0, most).filter((run) => run.size <= MOST_AT_ONCE && !isLive(run));
    for (const run of small) {
      try {
        await this.open(run);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error; // it is told when somebody looks at it
      }
    }
  }

  /** Runs of one problem share it: then they can be compared vehicle by vehicle. */
  private instanceOf(problem: ProblemDocument, rest: RestOf | null): Instance {
    const read = readInstance(problem);
    const text = JSON.stringify(problem);
    const same = this.list.find(
      ({ instance }) =>
        instance?.name === read.name &&
        instance.taskX.length === read.taskX.length &&
        JSON.stringify(instance.document) === text,
    );
    const found = same?.instance ?? read;
    if (!restOf(found.document)) setRestOf(found.document, rest);
    return found;
  }

  /** Call a run otherwise; without a name it is called as its problem. */
  async rename(run: Run, name: string): Promise<void> {
    const problem = run.instance ?? readInstance(await this.client.problem(run.id));
    const own = name === sizeOf(problem) ? "" : name;
    const job = await this.client.rename(run.id, own || problem.name || null);
    run.title = job.name ?? titleOf(problem);
  }

  forget(run: Run): void {
    this.followed.get(run.id)?.abort();
    this.list = this.list.filter((each) => each !== run);
  }

  /** Remove a run for good, here and at the service. */
  async remove(run: Run): Promise<void> {
    if (run.kept) {
      try {
        await this.client.forget(run.id);
      } catch (error) {
        if (!isGone(error)) throw error; // somebody else was faster
      }
    }
    run.kept = false;
    this.forget(run);
  }

  private async follow(run: Run): Promise<void> {
    const abort = new AbortController();
    this.followed.set(run.id, abort);
    try {
      await this.client.follow(run.id, abort.signal, (event) => this.take(run, event));
    } catch (error) {
      run.error = error instanceof ServiceError ? error.message : String(error);
      if (isGone(error)) {
        run.kept = false;
        run.error = "The service was started anew and no longer has this run. What was found by then stays here.";
      }
      run.status = "interrupted";
      run.silent = false;
      this.changed(run, false);
    }
    this.followed.delete(run.id);
  }

  private take(run: Run, event: JobEvent): void {
    run.silent = event.event === "silence";
    if (event.event !== "silence" && event.event !== "status") run.compiling = false;
    switch (event.event) {
      case "silence":
        return this.changed(run, false);
      case "status":
        if (isLive(run)) run.status = event.data.status;
        run.position = event.data.position;
        return this.changed(run, false);
      case "progress":
        run.compiling = event.data.compiling ?? false;
        run.time = Math.max(run.time, event.data.time);
        run.iterations = event.data.iterations ?? run.iterations;
        return this.changed(run, false);
      case "improvement": {
        const { time, objective, iterations, plan, schedule } = event.data;
        if (run.status === "queued") run.status = "running";
        run.time = Math.max(run.time, time);
        run.iterations = iterations ?? run.iterations;
        // On a working day a better plan may cost more, because it leaves fewer out.
        const day = run.instance?.times.day ?? false;
        if (!day && run.objective !== null && objective > run.objective) return this.changed(run, false);
        run.history.push([time, objective]);
        this.setPlan(run, plan, objective, schedule);
        return this.changed(run, true);
      }
      case "end":
        return this.finish(run, event.data);
    }
  }

  private finish(run: Run, job: JobAnswer): void {
    run.status = job.status;
    run.solver ||= job.solver;
    run.position = job.position;
    run.title = job.name ?? titleOf(run.instance!);
    run.error = job.error?.message ?? null;
    if (job.result) {
      const { plan, objective, history, seconds, iterations, schedule } = job.result;
      run.leftOut = job.result.left_out ?? [];
      if (history.length > 0) run.history = history;
      run.time = Math.max(seconds ?? 0, history.at(-1)?.[0] ?? 0);
      run.iterations = iterations ?? run.iterations;
      // Also where it costs the same: the last plan may be a shorter one of those that do.
      this.setPlan(run, plan, objective, schedule);
      if (run.history.length === 0) run.history = [[run.time, objective]];
    }
    this.changed(run, false);
  }

  private setPlan(
    run: Run,
    plan: PlanDocument,
    objective: number,
    schedule: VehicleSchedule[] = [],
  ): void {
    run.plan = plan;
    run.objective = objective;
    run.routes = readRoutes(run.instance!, { ...plan, objective }, schedule);
    run.reach = Math.max(run.reach, run.routes.latest);
  }
}

export function titleOf(instance: Instance): string {
  return instance.name || sizeOf(instance);
}

/** "60 stops, 5 vehicles". */
export function sizeOf(instance: Instance): string {
  return sizeWords(instance.kind, instance.taskX.length, instance.vehicleNames.length);
}

function sizeWords(kind: string, tasks: number, vehicles: number): string {
  const what = kind === "hcvrp" ? plural(tasks, "stop") : plural(tasks / 2, "order");
  return `${what}, ${plural(vehicles, "vehicle")}`;
}

function newRun(
  id: string,
  created: Date,
  title: string,
  solver: string,
  limit: number | null,
  seed: number,
  kept = true,
): Run {
  return {
    id,
    kept,
    silent: false,
    compiling: false,
    created,
    size: 0,
    title,
    solver,
    limit,
    seed,
    status: "queued",
    position: null,
    instance: null,
    plan: null,
    routes: null,
    leftOut: [],
    violations: [],
    objective: null,
    from: null,
    history: [],
    time: 0,
    iterations: 0,
    error: null,
    reach: 0,
  };
}
