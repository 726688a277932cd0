/** Problems and plans as the files and the service have them (docs/use/files.md). */

export type Kind = "hcvrp" | "omdcpdp";
export type Id = string | number;
export type Place = { x: number; y: number } | { lat: number; lon: number };

export interface HcvrpDocument {
  problem: "hcvrp";
  name?: string;
  depot: Place;
  customers: (Place & { id?: Id; demand: number })[];
  vehicles: { id?: Id; capacity: number; speed: number }[];
}

export interface OmdcpdpDocument {
  problem: "omdcpdp";
  name?: string;
  orders: { id?: Id; pickup: Place; delivery: Place }[];
  vehicles: (Place & { id?: Id; capacity: number })[];
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
  routes: RouteDocument[];
}
