/** Runs of solvers: started here or found on the service, followed while they improve. */

import type { LeftOutDocument, PlanDocument, VehicleSchedule } from "../model/documents";
import { readInstance, type Instance } from "../model/instance";
import { readRoutes, type Routes } from "../model/routes";
import { ServiceError, type Client, type JobAnswer, type JobEvent, type Status } from "../service/client";

export interface Run {
  readonly id: string;
  number: number;
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
  objective: number | null;
  history: [number, number][];
  time: number;
  iterations: number;
  error: string | null;
  /** The worst finishing time so far, where the schedule's axis ends. */
  reach: number;
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
  private started = 0;
  private readonly followed = new Map<string, AbortController>();

  constructor(
    private readonly client: Client,
    private readonly changed: (run: Run, improved: boolean) => void,
  ) {}

  async start(instance: Instance, solver: string, limit: number, seed: number): Promise<Run> {
    const order = { problem: instance.document, solver, time_limit: limit, seed };
    const answer = await this.client.start(order);
    const told = this.atOnce.has(solver) ? null : limit;
    const run = newRun(answer.id, ++this.started, titleOf(instance), solver, told, seed);
    run.instance = instance;
    run.position = answer.position;
    this.list.unshift(run);
    void this.follow(run);
    return run;
  }

  async stop(run: Run): Promise<void> {
    const job = await this.client.stop(run.id);
    this.finish(run, job);
  }

  /** The last jobs that the service still knows. */
  async loadEarlier(limit: number): Promise<void> {
    const answer = await this.client.jobs(limit);
    const jobs = Array.isArray(answer) ? answer : answer.jobs;
    const known = new Set(this.list.map((run) => run.id));
    for (const job of jobs.filter((each) => !known.has(each.id))) {
      const title = `${job.kind}, ${job.tasks}/${job.vehicles}`;
      const limit = this.atOnce.has(job.solver) ? null : job.time_limit;
      const run = newRun(job.id, 0, title, job.solver, limit, job.seed);
      run.status = job.status;
      run.objective = job.objective;
      this.list.push(run);
    }
    [...this.list].reverse().forEach((run, i) => (run.number = i + 1));
    this.started = this.list.length;
  }

  /** Fetch what an earlier run was about; a live one is followed from here on. */
  async open(run: Run): Promise<void> {
    if (run.instance) return;
    const [problem, job] = await Promise.all([this.client.problem(run.id), this.client.job(run.id)]);
    run.instance = readInstance(problem);
    run.title = titleOf(run.instance);
    this.finish(run, job);
    if (isLive(run)) void this.follow(run);
  }

  forget(run: Run): void {
    this.followed.get(run.id)?.abort();
    this.list = this.list.filter((each) => each !== run);
  }

  private async follow(run: Run): Promise<void> {
    const abort = new AbortController();
    this.followed.set(run.id, abort);
    try {
      await this.client.follow(run.id, abort.signal, (event) => this.take(run, event));
    } catch (error) {
      run.error = error instanceof ServiceError ? error.message : String(error);
      run.status = "interrupted";
      this.changed(run, false);
    }
    this.followed.delete(run.id);
  }

  private take(run: Run, event: JobEvent): void {
    switch (event.event) {
      case "status":
        if (isLive(run)) run.status = event.data.status;
        run.position = event.data.position;
        return this.changed(run, false);
      case "progress":
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
    run.position = job.position;
    run.error = job.error?.message ?? null;
    if (job.result) {
      const { plan, objective, history, seconds, iterations, schedule } = job.result;
      run.leftOut = job.result.left_out ?? [];
      if (history.length > 0) run.history = history;
      run.time = Math.max(seconds ?? 0, history.at(-1)?.[0] ?? 0);
      run.iterations = iterations ?? run.iterations;
      if (run.plan === null || run.objective !== objective) this.setPlan(run, plan, objective, schedule);
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
  const tasks = instance.taskX.length;
  return instance.name || `${instance.kind}, ${tasks}/${instance.vehicleNames.length}`;
}

function newRun(
  id: string,
  number: number,
  title: string,
  solver: string,
  limit: number | null,
  seed: number,
): Run {
  return {
    id,
    number,
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
    objective: null,
    history: [],
    time: 0,
    iterations: 0,
    error: null,
    reach: 0,
  };
}
