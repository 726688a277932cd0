import { describe, expect, it } from "vitest";

import { callOf, curlOf, placesOf, typeWords, type OpenApi, type Place } from "../src/docs/openapi";

const text = { type: "string" };
const place: Place = {
  method: "DELETE",
  path: "/jobs/{id}",
  operation: {
    operationId: "stop_job",
    summary: "Stop",
    responses: {},
    parameters: [
      { name: "id", in: "path", required: true, schema: text },
      { name: "forget", in: "query", required: false, schema: { type: "boolean" } },
      { name: "status", in: "query", required: false, schema: { type: "array", items: text } },
      { name: "Idempotency-Key", in: "header", required: false, schema: text },
    ],
  },
};

describe("requests", () => {
  it("puts what is filled in where it belongs, and leaves the rest out", () => {
    const call = callOf(place, { id: "a/b", forget: "true", status: ["x", "", "y"], "Idempotency-Key": "" }, null);
    expect(call).toEqual({ method: "DELETE", path: "jobs/a%2Fb?forget=true&status=x&status=y", headers: {}, body: null });
    const keyed = callOf(place, { id: "a", "Idempotency-Key": "k" }, "{}");
    expect(keyed.headers).toEqual({ "Idempotency-Key": "k", "Content-Type": "application/json" });
  });

  it("says the same for a shell, without the token", () => {
    const base = "http://127.0.0.1:8000/docs";
    const call = callOf(place, { id: "a" }, null);
    expect(curlOf(call, base, false)).toBe("curl -X DELETE http://127.0.0.1:8000/jobs/a");
    expect(curlOf(call, base, true)).toContain('-H "Authorization: Bearer $GEOPAR_TOKEN"');
    const post = callOf({ ...place, method: "POST", path: "/solve" }, {}, '{\n "a": "it\'s"}');
    expect(curlOf(post, base, false)).toBe(
      `curl -H 'Content-Type: application/json' http://127.0.0.1:8000/solve -d '{"a":"it'\\''s"}'`,
    );
    expect(curlOf({ ...post, body: "{" }, base, false)).toContain("-d '{'");
  });
});

describe("schemas in words", () => {
  it("names what a value may be", () => {
    expect(typeWords({ $ref: "#/components/schemas/Plan" })).toBe("Plan");
    expect(typeWords({ type: ["integer", "null"], minimum: 0, maximum: 9 })).toBe("integer or null, 0 to 9");
    expect(typeWords({ type: "number", exclusiveMinimum: 0 })).toBe("number, more than 0");
    expect(typeWords({ type: "array", items: { enum: ["a", "b"] } })).toBe('list of "a" or "b"');
    expect(typeWords({ oneOf: [text, { type: "null" }] })).toBe("string or null");
    expect(typeWords({})).toBe("anything");
  });
});

it("lists every method of every path", () => {
  const { operation } = place;
  const api: OpenApi = {
    info: { title: "", version: "", description: "" },
    paths: { "/jobs": { get: operation, post: operation } },
    components: { schemas: {} },
  };
  expect(placesOf(api).map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /jobs", "POST /jobs"]);
});
