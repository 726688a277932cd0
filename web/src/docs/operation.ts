/** One operation: what it takes, a form that sends it, what it answers. */

import { download, make, setText } from "../view/elements";
import { ServiceError, type Client } from "../service/client";
import { callOf, curlOf, nameOf, resolved, typeWords, type Call, type OpenApi, type Parameter, type Place, type Schema } from "./openapi";

const MOST_SHOWN = 200_000;
const FILES = "multipart/form-data";

export class OperationView {
  readonly element = make("details", "operation");
  private built = false;
  private readonly fields: [Parameter, HTMLInputElement | HTMLSelectElement][] = [];
  private body: HTMLTextAreaElement | HTMLInputElement | null = null;
  private readonly curl = make("pre", "curl");
  private readonly status = make("p", "status");
  private readonly answer = make("pre", "answer");
  private readonly keep = make("button", "", "Save it");
  private readonly send = make("button", "primary", "Send");
  private readonly halt = make("button", "", "Stop");
  private kept: { blob: Blob; name: string } | null = null;
  private running: AbortController | null = null;

  constructor(
    private readonly document: OpenApi,
    readonly place: Place,
    private readonly client: Client,
  ) {
    const { method, path, operation } = place;
    this.element.id = operation.operationId;
    this.element.append(
      make("summary", "", make("span", `method ${method}`, method), make("code", "", path), make("span", "about", operation.summary)),
    );
    this.element.addEventListener("toggle", () => {
      if (this.element.open) this.build();
    });
  }

  /** Unfold it, and go there. */
  open(): void {
    this.build();
    this.element.open = true;
    this.element.hidden = false;
    this.element.scrollIntoView();
    this.element.querySelector("summary")!.focus({ preventScroll: true });
  }

  private build(): void {
    if (this.built) return;
    this.built = true;
    const { operation } = this.place;
    if (operation.description) this.element.append(make("p", "", ...prose(operation.description)));
    this.element.append(this.form(), this.answers());
    this.tellCurl();
  }

  private form(): HTMLElement {
    const form = make("form", "try");
    form.setAttribute("aria-label", `Try ${this.place.method} ${this.place.path}`);
    const { parameters = [], requestBody } = this.place.operation;
    if (parameters.length > 0) {
      const fields = make("div", "fields");
      for (const parameter of parameters) fields.append(this.field(parameter));
      form.append(fields);
    }
    if (requestBody) form.append(...this.bodyField(requestBody.content));
    this.send.type = "submit";
    this.send.title = "Ctrl+Enter";
    this.halt.type = this.keep.type = "button";
    this.halt.hidden = this.keep.hidden = this.answer.hidden = this.status.hidden = true;
    this.halt.addEventListener("click", () => this.running?.abort());
    this.keep.addEventListener("click", () => this.kept && download(this.kept.blob, this.kept.name));
    this.answer.tabIndex = 0;
    this.answer.setAttribute("aria-label", "The answer");
    this.status.setAttribute("role", "status");
    this.curl.tabIndex = 0;
    this.curl.setAttribute("aria-label", "The same for a shell");
    form.append(make("div", "row", this.send, this.halt, this.keep), this.curl, this.status, this.answer);
    form.addEventListener("input", () => this.tellCurl());
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      form.requestSubmit();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.call();
    });
    return form;
  }

  private field(parameter: Parameter): HTMLElement {
    const { name, required, schema } = parameter;
    const choices = schema.enum ?? schema.items?.enum ?? (schema.type === "boolean" ? ["true", "false"] : null);
    let input: HTMLInputElement | HTMLSelectElement;
    if (choices) {
      input = make("select");
      input.append(new Option("", ""), ...choices.map((each) => new Option(String(each), String(each))));
    } else {
      input = make("input");
      if (schema.type === "integer") input.inputMode = "numeric";
      input.placeholder = schema.type === "array" ? "several with commas" : "";
    }
    input.name = name;
    input.required = required;
    this.fields.push([parameter, input]);
    const words = [parameter.in === "query" ? "" : parameter.in, parameter.description ?? typeWords(schema)];
    return make("label", "", make("code", "", name), " ", make("span", "quiet", ...prose(words.filter(Boolean).join(": "))), input);
  }

  private bodyField(content: Record<string, { schema: Schema; example?: unknown }>): Node[] {
    const [media, { schema, example }] = Object.entries(content)[0]!;
    if (media === FILES) {
      const input = make("input");
      input.type = "file";
      input.multiple = true;
      input.required = true;
      this.body = input;
      return [make("label", "body", "Files", input)];
    }
    const area = make("textarea");
    area.spellcheck = false;
    area.value = example === undefined ? "{}" : JSON.stringify(example, null, 1);
    area.rows = Math.min(16, area.value.split("\n").length + 1);
    this.body = area;
    return [make("label", "body", `Body, ${media}`, area), this.schemaView("What it may hold", schema)];
  }

  /** What was filled in, as a request. */
  private request(): Call {
    const values = Object.fromEntries(
      this.fields.map(([{ name, schema }, input]) => [name, schema.type === "array" ? input.value.split(",").map((each) => each.trim()) : input.value]),
    );
    let body: string | FormData | null = null;
    if (this.body instanceof HTMLTextAreaElement) body = this.body.value;
    else if (this.body) {
      body = new FormData();
      for (const file of this.body.files ?? []) body.append("files", file, file.name);
    }
    return callOf(this.place, values, body);
  }

  private tellCurl(): void {
    setText(this.curl, curlOf(this.request(), location.href, this.client.hasToken));
  }

  private async call(): Promise<void> {
    const { method, path, headers, body } = this.request();
    this.running?.abort();
    const running = (this.running = new AbortController());
    this.send.disabled = true;
    this.halt.hidden = this.status.hidden = false;
    this.keep.hidden = this.answer.hidden = true;
    this.status.className = "status";
    setText(this.status, "Sent…");
    const began = performance.now();
    try {
      const answer = await this.client.raw(path, { method, headers, body, signal: running.signal });
      const seconds = ((performance.now() - began) / 1000).toFixed(2);
      this.status.classList.toggle("alarm", !answer.ok);
      setText(this.status, `${answer.status} ${answer.statusText}, ${seconds} s`);
      await this.show(answer);
    } catch (error) {
      if (!running.signal.aborted && !(error instanceof ServiceError)) throw error;
      const words = error instanceof ServiceError ? error.message : "Stopped.";
      this.status.classList.add("alarm");
      setText(this.status, words);
    } finally {
      this.send.disabled = false;
      this.halt.hidden = true;
      this.tellCurl(); // a token may have been asked for
    }
  }

  private async show(answer: Response): Promise<void> {
    const type = (answer.headers.get("Content-Type") ?? "").split(";")[0]!;
    if (type === "text/event-stream") return this.showStream(answer);
    const blob = await answer.blob();
    if (blob.size === 0) return;
    const textual = /json|^text\/|xml/.test(type);
    this.kept = { blob, name: fileName(answer, this.place.operation.operationId, type) };
    this.keep.hidden = false;
    this.tell(textual ? pretty(await blob.text(), type) : `${blob.size} bytes of ${type}`);
  }

  private async showStream(answer: Response): Promise<void> {
    const decoder = new TextDecoder();
    const reader = answer.body!.getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text = (text + decoder.decode(value, { stream: true })).slice(-MOST_SHOWN);
      this.tell(text);
      this.answer.scrollTop = this.answer.scrollHeight;
    }
  }

  private tell(text: string): void {
    this.answer.hidden = false;
    const left = text.length - MOST_SHOWN;
    setText(this.answer, left > 0 ? `${text.slice(0, MOST_SHOWN)}\n… and ${left} more characters` : text);
  }

  private answers(): HTMLElement {
    const list = make("dl", "answers");
    for (const [status, { description, content }] of Object.entries(this.place.operation.responses)) {
      const told = make("dd", "", description);
      for (const [media, { schema }] of Object.entries(content ?? {})) {
        const words = typeWords(schema) === "string" ? media : `${media}: ${typeWords(schema)}`;
        told.append(nameOf(schema) === null ? make("span", "quiet", ` ${words}`) : this.schemaView(words, schema));
      }
      list.append(make("div", "", make("dt", "", status), told));
    }
    return make("section", "", make("h3", "", "Answers"), list);
  }

  /** A schema behind a fold, and those that it names behind folds of their own. */
  private schemaView(words: string, schema: Schema): HTMLElement {
    const fold = make("details", "schema", make("summary", "", words));
    fold.addEventListener("toggle", () => {
      if (fold.open && fold.children.length === 1) fold.append(...this.schemaParts(schema));
    });
    return fold;
  }

  private schemaParts(given: Schema): HTMLElement[] {
    const schema = resolved(this.document, given);
    const parts: HTMLElement[] = [];
    if (schema.description) parts.push(make("p", "", ...prose(schema.description)));
    for (const each of schema.oneOf ?? schema.anyOf ?? schema.allOf ?? []) {
      if (each.type === "null") continue;
      parts.push(this.schemaView(each.title ?? typeWords(each), each));
    }
    const { properties, items } = schema;
    if (properties) {
      const list = make("dl", "properties");
      for (const [name, property] of Object.entries(properties)) {
        const needed = schema.required?.includes(name) ? "" : " (may be left out)";
        const told = make("dd", "", make("span", "quiet", `${typeWords(property)}${needed}`));
        if (property.description) told.append(" ", ...prose(property.description));
        const inner = this.inside(property);
        if (inner) told.append(this.schemaView(`More about ${name}`, inner));
        list.append(make("div", "", make("dt", "", make("code", "", name)), told));
      }
      parts.push(list);
    } else if (items) {
      parts.push(this.schemaView(`Each: ${items.title ?? typeWords(items)}`, items));
    }
    if (parts.length === 0) parts.push(make("p", "quiet", typeWords(schema)));
    return parts;
  }

  /** What there is to unfold about a value, if anything. */
  private inside(schema: Schema): Schema | null {
    if (nameOf(schema) !== null || schema.properties) return schema;
    if (schema.items) return this.inside(schema.items);
    const choices = (schema.oneOf ?? schema.anyOf ?? []).filter((each) => this.inside(each) !== null);
    return choices.length === 1 ? this.inside(choices[0]!) : choices.length > 1 ? schema : null;
  }
}

/** Text with `code` in it; nothing else is read as markup. */
export function prose(text: string): (string | Node)[] {
  return text.split("`").map((part, i) => (i % 2 === 1 ? make("code", "", part) : part));
}

function pretty(text: string, type: string): string {
  if (!type.includes("json") || text.length > MOST_SHOWN) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
}

function fileName(answer: Response, id: string, type: string): string {
  const named = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "");
  return named?.[1] ?? `${id}.${type.includes("json") ? "json" : type === "text/html" ? "html" : "txt"}`;
}
