/** The OpenAPI document as far as the page shows it, and requests made from what is filled in. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  prefixItems?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
  title?: string;
  format?: string;
  pattern?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  schema: Schema;
  description?: string;
}

interface Content {
  schema: Schema;
  example?: unknown;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { description: string; content?: Record<string, Content> }>;
}

export interface OpenApi {
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** An operation with where it is. */
export interface Place {
  method: string;
  path: string;
  operation: Operation;
}

export function placesOf(document: OpenApi): Place[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** The name of the schema that is meant, where it has one. */
export function nameOf(schema: Schema): string | null {
  return schema.$ref?.split("/").at(-1) ?? null;
}

export function resolved(document: OpenApi, schema: Schema): Schema {
  const name = nameOf(schema);
  return name === null ? schema : (document.components.schemas[name] ?? {});
}

/** What a value may be, in a few words. */
export function typeWords(schema: Schema): string {
  const name = nameOf(schema);
  if (name !== null) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(" or ");
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return choices.map(typeWords).join(" or ");
  const kinds = [schema.type ?? []].flat();
  if (kinds.length === 0) return "anything";
  return kinds.map((kind) => (kind === "array" ? `list of ${typeWords(schema.items ?? {})}` : kind)).join(" or ") + range(schema);
}

function range({ minimum, exclusiveMinimum, maximum }: Schema): string {
  const least = minimum ?? exclusiveMinimum;
  if (least === undefined) return maximum === undefined ? "" : `, at most ${maximum}`;
  const from = exclusiveMinimum === undefined ? `${least} or more` : `more than ${least}`;
  return maximum === undefined ? `, ${from}` : `, ${least} to ${maximum}`;
}

/** What was filled in, by the name of the parameter; lists as lists. */
export type Values = Record<string, string | string[]>;

export interface Call {
  method: string;
  /** Relative to the page, so that it holds behind a proxy, too. */
  path: string;
  headers: Record<string, string>;
  body: string | FormData | null;
}

/** A request of an operation; empty fields are left out. */
export function callOf(place: Place, values: Values, body: string | FormData | null): Call {
  const headers: Record<string, string> = {};
  const query = new URLSearchParams();
  let path = place.path.slice(1);
  for (const { name, in: where } of place.operation.parameters ?? []) {
    const given = [values[name] ?? []].flat().filter((each) => each !== "");
    if (where === "path") path = path.replace(`{${name}}`, encodeURIComponent(given[0] ?? ""));
    else if (where === "query") for (const each of given) query.append(name, each);
    else if (given[0] !== undefined) headers[name] = given[0];
  }
  if (typeof body === "string") headers["Content-Type"] = "application/json";
  const text = query.toString();
  return { method: place.method, path: text ? `${path}?${text}` : path, headers, body };
}

/** The same for a shell; never with the token itself. */
export function curlOf(call: Call, base: string, withToken: boolean): string {
  const parts = ["curl"];
  if (call.method !== "GET" && !(call.method === "POST" && call.body !== null)) parts.push(`-X ${call.method}`);
  for (const [name, value] of Object.entries(call.headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (withToken) parts.push('-H "Authorization: Bearer $GEOPAR_TOKEN"');
  parts.push(quoted(new URL(call.path, base).href));
  if (typeof call.body === "string") parts.push(`-d ${quoted(shortened(call.body))}`);
  else if (call.body) {
    for (const [name, value] of call.body) parts.push(`-F ${quoted(`${name}=@${(value as File).name}`)}`);
  }
  return parts.join(" ");
}

function quoted(text: string): string {
  return /^[\w./:@=?&%-]+$/.test(text) && !/[&?]/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** JSON in one line, where it is JSON. */
function shortened(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
