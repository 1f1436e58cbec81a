import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { CallQueue } from "../../src/log/sqlite/call-queue.ts";
import { range } from "../support/http.ts";

suite("calls that wait for the log's thread", () => {
  test("[LM10] a few calls run at a time and methods alternate, so many lists do not delay loading a room", () => {
    const sent: { id: number; method: string }[] = [];
    const queue = new CallQueue<{ id: number; method: string }>(4, (call) => sent.push(call));
    for (const id of range(1_000)) queue.push({ id, method: "list" });
    queue.push({ id: 1_000, method: "head" });
    assert.equal(sent.length, 4);
    for (const id of range(2)) queue.answered(id);
    assert.deepEqual(
      sent.slice(4).map(({ method }) => method),
      ["list", "head"],
    );
    for (let next = 2; next < sent.length; next++) queue.answered(sent[next].id);
    assert.equal(sent.length, 1_001);
    const lists = sent.filter(({ method }) => method === "list").map(({ id }) => id);
    assert.deepEqual(lists, range(1_000), "in their order");
  });

  test("[LG10] calls that are no longer wanted are not sent", () => {
    const sent: number[] = [];
    const wanted = new Set(range(10));
    const queue = new CallQueue<{ id: number; method: string }>(
      1,
      ({ id }) => sent.push(id),
      ({ id }) => wanted.has(id),
    );
    for (const id of range(10)) queue.push({ id, method: "read" });
    for (const id of range(8)) wanted.delete(id);
    for (const id of [0, 8, 9]) queue.answered(id);
    assert.deepEqual(sent, [0, 8, 9]);
  });

  test("[LM10] answers to calls that are not in the queue change nothing", () => {
    const sent: number[] = [];
    const queue = new CallQueue<{ id: number; method: string }>(1, ({ id }) => sent.push(id));
    for (const id of [1, 2]) queue.push({ id, method: "read" });
    queue.answered(99);
    queue.answered(2);
    assert.deepEqual(sent, [1]);
  });
});
