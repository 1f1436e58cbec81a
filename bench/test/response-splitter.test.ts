import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ResponseSplitter } from "../src/response-splitter.ts";
import { cuts, receive } from "./packets.ts";

type Response = { status: number; body: string };

const responses = fc.array(
  fc.record({
    status: fc.constantFrom(200, 201, 400, 404, 503),
    name: fc.constantFrom("Content-Length", "content-length", "CONTENT-LENGTH"),
    gap: fc.constantFrom(" ", "", "  "),
    // Bodies that look like heads must not be taken for them.
    body: fc.constantFrom(
      "",
      "{}",
      "x".repeat(350),
      "\r\n\r\n",
      "HTTP/1.1 500 No\r\nContent-Length: 7\r\n\r\n",
    ),
  }),
  { maxLength: 8 },
);

function collect(): { splitter: ResponseSplitter; seen: Response[] } {
  const seen: Response[] = [];
  const splitter = new ResponseSplitter((status, bytes, start, end) =>
    seen.push({ status, body: bytes.toString("latin1", start, end) }),
  );
  return { splitter, seen };
}

test("responses come out whole, however the packets fall", () => {
  fc.assert(
    fc.property(responses, cuts, (sent, places) => {
      const stream = sent
        .map(
          ({ status, name, gap, body }) =>
            `HTTP/1.1 ${status} Whatever\r\nx-content-length: 9\r\n${name}:${gap}${body.length}\r\nDate: now\r\n\r\n${body}`,
        )
        .join("");
      const { splitter, seen } = collect();
      receive(Buffer.from(stream, "latin1"), places, (packet) => splitter.push(packet));
      assert.deepEqual(
        seen,
        sent.map(({ status, body }) => ({ status, body })),
      );
    }),
  );
});

test("a response without Content-Length is said to be unreadable", () => {
  const { splitter } = collect();
  const chunked = Buffer.from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
  assert.throws(() => splitter.push(chunked), /without Content-Length/);
});

test("a head without end is not gathered for ever", () => {
  const { splitter } = collect();
  assert.throws(
    () => splitter.push(Buffer.from(`HTTP/1.1 200 OK\r\n${"x".repeat(20_000)}`)),
    /more than 16384 bytes/,
  );
});
