/** The service over HTTP: the calls that the page makes, and what can go wrong with them. */

import type { LeftOutDocument, PlanDocument, ProblemDocument, VehicleSchedule } from "../model/documents";
import type { TraceDocument } from "../model/trace";
import { EventParser, type ServerEvent } from "./events";

export interface Fault {
  code: string;
  field: string;
  value: string;
  message: string;
  hint: string;
}

export interface SolverAnswer {
  name: string;
  problems: string[];
  description: string;
  anytime: boolean;
  available: boolean;
  hint: string | null;
}

export interface SolversAnswer {
  default: string;
  /** Whether it is known yet what is available. */
  ready: boolean;
  solvers: SolverAnswer[];
  limits: Partial<Record<"tasks" | "vehicles" | "time_limit" | "body_bytes", number>>;
  version: string;
  tiles: string | null;
}

export interface ResultAnswer {
  plan: PlanDocument;
  objective: number;
  iterations: number | null;
  seconds: number;
  history: [number, number][];
  schedule: VehicleSchedule[];
  left_out: LeftOutDocument[];
}

export type Status = "queued" | "running" | "finished" | "stopped" | "failed" | "interrupted";

export interface JobAnswer {
  id: string;
  status: Status;
  name: string | null;
  solver: string;
  time_limit: number;
  seed: number;
  kind: string;
  tasks: number;
  vehicles: number;
  created: string;
  position: number | null;
  iterations: number | null;
  objective: number | null;
  options: { rest_of?: RestOf } | null;
  result: ResultAnswer | null;
  error: { message: string; faults?: Fault[] } | null;
}

export interface Order {
  problem: ProblemDocument;
  /** The usual one if left out. */
  solver?: string;
  time_limit: number;
  seed: number;
  /** A plan to begin with. */
  start?: PlanDocument;
  /** How much of it is left alone, in the problem's unit of time. */
  keep?: number;
  rest_of?: RestOf;
}

/** Of which day it is the rest, and what was asked. */
export interface RestOf extends Omit<ReplanOrder, "problem" | "plan" | "new_plan"> {
  /** Null where the service does not have the plan of that day. */
  job: string | null;
  /** Those of the whole day, in its order. */
  vehicles?: string[];
}

export interface Violation {
  code: string;
  message: string;
  hint?: string;
  tasks?: unknown[];
  vehicles?: string[];
}

export interface CheckAnswer {
  feasible: boolean;
  objective: number | null;
  violations: Violation[];
  left_out: LeftOutDocument[];
  schedule: VehicleSchedule[];
}

/** A makespan that no plan beats which serves everybody, in the problem's unit of time. */
export interface BoundAnswer {
  value: number;
  method: "trips" | "work";
  /** Whether more time would prove hardly more. */
  complete: boolean;
  seconds: number;
}

export interface ReplanOrder {
  problem: ProblemDocument;
  plan: PlanDocument;
  /** A number in the problem's unit of time, or a time of day. */
  now: number | string;
  out_of_service?: string[];
  goods_back?: number | string;
  new_plan?: PlanDocument;
}

export interface ReplanAnswer {
  /** What is left to do; null when that is nothing. */
  problem: ProblemDocument | null;
  start: PlanDocument | null;
  said: string[];
  vehicles: { vehicle: string; said: string }[];
  changes: { vehicle: string; said: string }[];
}

export type SheetFormat = "html" | "xlsx" | "csv" | "gpx" | "geojson";

export type JobEvent =
  | { event: "status"; data: { status: Status; position: number | null } }
  | {
      event: "improvement";
      data: {
        time: number;
        objective: number;
        iterations: number | null;
        plan: PlanDocument;
        schedule: VehicleSchedule[];
      };
    }
  | { event: "progress"; data: { time: number; iterations: number | null; compiling?: boolean } }
  | { event: "end"; data: JobAnswer }
  /** Nothing is heard of the service; it is asked again. */
  | { event: "silence"; data: object };

export class ServiceError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly faults: Fault[] = [],
  ) {
    super(message);
  }
}

const TOKEN = "geopar-token";
const MOST_RETRIES = 60;
const LONGEST_PAUSE = 5000;

export class Client {
  /** Asks the user for a token; null when the user gave none. */
  askToken: (refused: boolean) => Promise<string | null> = async () => null;

  solvers = () => this.get<SolversAnswer>("solvers");
  jobs = (limit: number, cursor: string | null) =>
    this.get<{ jobs: JobAnswer[]; next: string | null }>(`jobs?limit=${limit}${cursor ? `&cursor=${cursor}` : ""}`);
  job = (id: string) => this.get<JobAnswer>(`jobs/${encodeURIComponent(id)}`);
  problem = (id: string) => this.get<ProblemDocument>(`jobs/${encodeURIComponent(id)}/problem`);
  start = (order: Order) => this.post<JobAnswer>("jobs", order);
  trace = (problem: ProblemDocument, seed: number) =>
    this.post<TraceDocument>("trace", { problem, seed });
  check = (problem: ProblemDocument, plan: PlanDocument) =>
    this.post<CheckAnswer>("check", { problem, plan });
  bound = (problem: ProblemDocument) => this.post<BoundAnswer>("bound", { problem });
  replan = (order: ReplanOrder) => this.post<ReplanAnswer>("replan", order);
  generate = (setting: string, seed: number) =>
    this.post<{ problem: ProblemDocument }>("generate", { setting, seed });

  /** Whether requests carry a token: then a plain link would be refused. */
  get hasToken(): boolean {
    return sessionStorage.getItem(TOKEN) !== null;
  }

  /** Sheets of a plan that the service does not keep. */
  async sheetOf(
    problem: ProblemDocument,
    plan: PlanDocument,
    format: SheetFormat,
    vehicle: string | null,
    rest: RestOf | null,
  ): Promise<Blob> {
    const own = vehicle === null ? {} : { vehicles: [vehicle] };
    const body = { problem, plan, format, ...own, ...(rest?.job ? { rest_of: rest } : {}) };
    const headers = { "Content-Type": "application/json" };
    return (await this.fetch("sheet", { method: "POST", headers, body: JSON.stringify(body) })).blob();
  }

  async blob(path: string): Promise<Blob> {
    return (await this.fetch(path, {})).blob();
  }

  stop(id: string): Promise<JobAnswer> {
    return this.call<JobAnswer>(`jobs/${encodeURIComponent(id)}`, { method: "DELETE" });
  }

  /** Whether its workers are still getting ready. */
  async isStarting(): Promise<boolean> {
    try {
      await this.get("health");
      return false;
    } catch (error) {
      return error instanceof ServiceError && error.code === "starting";
    }
  }

  /** Call a job otherwise, for everybody. */
  rename(id: string, name: string | null): Promise<JobAnswer> {
    const headers = { "Content-Type": "application/json" };
    return this.call<JobAnswer>(`jobs/${encodeURIComponent(id)}`, { method: "PATCH", headers, body: JSON.stringify({ name }) });
  }

  /** Remove a job that has ended, for everybody. */
  async forget(id: string): Promise<void> {
    await this.fetch(`jobs/${encodeURIComponent(id)}?forget=true`, { method: "DELETE" });
  }

  /** Hand files to the service's reader; it says what is wrong with them. */
  read(
    files: { name: string; data: Blob }[],
    options: Record<string, string> = {},
  ): Promise<{ problem: ProblemDocument; remarks: string[] }> {
    const body = new FormData();
    for (const file of files) body.append("files", file.data, file.name);
    const query = new URLSearchParams({ name: files[0]?.name ?? "", ...options });
    return this.call(`read?${query}`, { method: "POST", body });
  }

  /** Follow a job to its end; broken connections are taken up again where they broke.
   *
   * For some minutes, which a service that is started anew takes at the most.
   */
  async follow(id: string, signal: AbortSignal, tell: (event: JobEvent) => void): Promise<void> {
    let last = "";
    for (let failures = 0; failures < MOST_RETRIES && !signal.aborted; failures++) {
      if (failures > 0) {
        tell({ event: "silence", data: {} });
        await pause(Math.min(500 * failures, LONGEST_PAUSE));
      }
      try {
        const path = `jobs/${encodeURIComponent(id)}/events${last ? `?after=${last}` : ""}`;
        const answer = await this.fetch(path, { signal, headers: { Accept: "text/event-stream" } });
        if (answer.status === 204) return tell({ event: "end", data: await this.job(id) });
        for await (const event of eventsOf(answer)) {
          failures = 0;
          last = event.id || last;
          tell({ event: event.event, data: JSON.parse(event.data) } as JobEvent);
          if (event.event === "end") return;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ServiceError && isRefusal(error)) throw error;
      }
    }
    if (!signal.aborted) {
      throw new ServiceError(0, "connection-lost", "The service does not answer any more.");
    }
  }

  get<T>(path: string): Promise<T> {
    return this.call<T>(path, {});
  }

  private post<T>(path: string, value: unknown): Promise<T> {
    const headers = { "Content-Type": "application/json" };
    return this.call<T>(path, { method: "POST", headers, body: JSON.stringify(value) });
  }

  private async call<T>(path: string, request: RequestInit): Promise<T> {
    return (await (await this.fetch(path, request)).json()) as T;
  }

  private async fetch(path: string, request: RequestInit): Promise<Response> {
    const answer = await this.raw(path, request);
    if (!answer.ok) throw await errorOf(answer);
    return answer;
  }

  /** Any answer, good or not; the token is asked for where one is wanted. */
  async raw(path: string, request: RequestInit, refused = false): Promise<Response> {
    const headers = new Headers(request.headers);
    const token = sessionStorage.getItem(TOKEN);
    if (token) headers.set("Authorization", `Bearer ${token}`);
    let answer: Response;
    try {
      answer = await fetch(path, { ...request, headers });
    } catch (error) {
      if (request.signal?.aborted) throw error;
      throw new ServiceError(0, "no-answer", "The service does not answer. Is `geopar serve` still running?");
    }
    if (answer.status === 401) {
      const given = await this.askToken(refused || token !== null);
      if (given === null) return answer;
      sessionStorage.setItem(TOKEN, given);
      return this.raw(path, request, true);
    }
    return answer;
  }
}

/** Whether asking again would bring the same answer; 0 is no answer at all. */
function isRefusal({ status }: ServiceError): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

/** Where the sheets of a job are; of one vehicle where one is named. */
export function sheetPath(id: string, format: SheetFormat, vehicle: string | null): string {
  const query = new URLSearchParams({ format, ...(vehicle === null ? {} : { vehicle }) });
  return `jobs/${encodeURIComponent(id)}/sheet?${query}`;
}

async function* eventsOf(answer: Response): AsyncGenerator<ServerEvent> {
  const parser = new EventParser();
  const decoder = new TextDecoder();
  const reader = answer.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield* parser.feed(decoder.decode(value, { stream: true }));
  }
}

async function errorOf(answer: Response): Promise<ServiceError> {
  try {
    const { error } = (await answer.json()) as {
      error: { code: string; message: string; faults?: Fault[] };
    };
    return new ServiceError(answer.status, error.code, error.message, error.faults ?? []);
  } catch {
    return new ServiceError(answer.status, "bad-answer", `The service answered ${answer.status}.`);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
