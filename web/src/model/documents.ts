/** Problems, plans and schedules as the files and the service have them (docs/use/files.md). */

export type Kind = "hcvrp" | "omdcpdp";
export type Id = string | number;
export type Place = { x: number; y: number } | { lat: number; lon: number };
export type Goal = "makespan" | "arrivals" | "duration" | "distance";
export type TimeUnit = "hours" | "minutes" | "seconds";
/** A number of the problem's unit, or as a clock has it. */
export type Time = number | string | null;
export type Load = number | null | (number | null)[];

/** What a working day may say at the top. */
interface DayDocument {
  name?: string;
  time_unit?: TimeUnit;
  minimise?: Goal;
  matrices?: unknown;
  /** How times are written: by the clock, from some midnight. */
  clock?: string | null;
  /** What the dimensions of load are called. */
  loads?: string[] | null;
}

interface TaskDocument {
  service?: number | null;
  windows?: [Time, Time][] | null;
  details?: Record<string, string> | null;
}

interface RequestDocument {
  released?: Time;
  /** Who may serve it. */
  vehicles?: Id[] | null;
}

interface VehicleDocument {
  id?: Id;
  capacity?: Load;
  speed?: number | null;
  available?: [Time, Time] | null;
  /** What it carries already. */
  on_board?: Id[] | null;
}

export interface HcvrpDocument extends DayDocument {
  problem: "hcvrp";
  depot?: (Place & { opens?: Time; closes?: Time; loading?: number | null; details?: Record<string, string> | null }) | null;
  customers: (Place & TaskDocument & RequestDocument & { id?: Id; demand?: Load })[];
  vehicles: (VehicleDocument & {
    start?: Place | null;
    end?: Place | null;
    /** Trips with which its route begins, whatever else is planned. */
    locked?: Id[][] | null;
  })[];
}

export interface OmdcpdpDocument extends DayDocument {
  problem: "omdcpdp";
  orders: (RequestDocument & {
    id?: Id;
    pickup: Place & TaskDocument;
    delivery: Place & TaskDocument;
    size?: Load;
  })[];
  vehicles: (Place & VehicleDocument & { locked?: StopDocument[] | null })[];
}

export type ProblemDocument = HcvrpDocument | OmdcpdpDocument;

export interface StopDocument {
  order: Id;
  action: "pickup" | "delivery";
}

export interface RouteDocument {
  vehicle: Id;
  trips?: Id[][];
  stops?: StopDocument[];
}

export interface PlanDocument {
  problem: Kind;
  objective?: number;
  /** The goal that it was made for; that of the problem if left out. */
  minimise?: Goal | null;
  routes: RouteDocument[];
}

/** Where a vehicle is when; a stop without a task is the end of a trip. */
export interface VehicleSchedule {
  vehicle: Id;
  begin: number;
  departure: number;
  finish: number;
  distance: number;
  stops: {
    task: Id | StopDocument | null;
    arrival: number;
    load: number;
    waiting: number;
    service: number;
    departure: number;
  }[];
}

export interface LeftOutDocument {
  request: Id;
  reason: string;
  fits_alone: boolean | null;
}
