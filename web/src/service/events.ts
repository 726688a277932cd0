/** Server-sent events out of a stream of text; EventSource cannot send a bearer token. */

export interface ServerEvent {
  id: string;
  event: string;
  data: string;
}

/** Fed with pieces of text as they come; gives the events that are whole. */
export class EventParser {
  private rest = "";
  private id = "";
  private event = "";
  private data: string[] = [];

  feed(text: string): ServerEvent[] {
    const found: ServerEvent[] = [];
    const whole = this.rest + text;
    // A carriage return at the very end may be half of a line end.
    const usable = whole.endsWith("\r") ? whole.length - 1 : whole.length;
    const lines = whole.slice(0, usable).split(/\r\n|\n|\r/);
    this.rest = lines.pop()! + whole.slice(usable);
    for (const line of lines) {
      if (line !== "") this.line(line);
      else if (this.data.length > 0) found.push(this.take());
    }
    return found;
  }

  private line(line: string): void {
    if (line.startsWith(":")) return;
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.data.push(value);
    else if (name === "event") this.event = value;
    else if (name === "id") this.id = value;
  }

  private take(): ServerEvent {
    const taken = { id: this.id, event: this.event || "message", data: this.data.join("\n") };
    this.event = "";
    this.data = [];
    return taken;
  }
}
