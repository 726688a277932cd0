import { expect, test } from "vitest";

import { EventParser } from "../src/service/events";

const TEXT = ': hello\r\n\r\nid: 1\r\nevent: improvement\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata: x\n\n';

test("events come out whole, wherever the stream is cut", () => {
  for (let cut = 0; cut <= TEXT.length; cut++) {
    const parser = new EventParser();
    const found = [...parser.feed(TEXT.slice(0, cut)), ...parser.feed(TEXT.slice(cut))];
    expect(found).toEqual([
      { id: "1", event: "improvement", data: '{"a":\n1}' },
      { id: "1", event: "message", data: "x" },
    ]);
  }
});

test("half an event is not told", () => {
  expect(new EventParser().feed("event: end\ndata: 1\n")).toEqual([]);
});
