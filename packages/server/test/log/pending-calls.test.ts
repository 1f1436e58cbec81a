import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { LogUnavailable } from "../../src/log/log.ts";
import { PendingCalls, tickMs } from "../../src/log/sqlite/pending-calls.ts";
import { range } from "../support/http.ts";

const late = new LogUnavailable("It is late.");
const timeoutMs = 4 * tickMs;

function stage() {
  const calls = new PendingCalls(timeoutMs);
  const rejected: number[] = [];
  const add = (id: number) => calls.add(id, { resolve: () => {}, reject: () => void rejected.push(id) });
  return { calls, rejected, add };
}

suite("calls to the log's thread that are not answered", () => {
  test("[LG10] each times out after the allowed time, and not before", () => {
    const { calls, rejected, add } = stage();
    for (const id of range(4)) {
      add(id);
      calls.expire(late);
    }
    assert.deepEqual(rejected, [0]);
    assert.equal(calls.take(0), undefined, "a late answer is dropped");
    assert.ok(calls.take(1));
    calls.expire(late);
    calls.expire(late);
    assert.deepEqual(rejected, [0, 2]);
    assert.equal(calls.size, 1);
  });

  test("[LG10] only calls that were sent to the thread make it late, not queued ones", () => {
    const { calls, rejected, add } = stage();
    add(1);
    assert.deepEqual(
      range(5).map(() => calls.expire(late)),
      [false, false, false, false, false],
    );
    add(2);
    add(3);
    calls.noteSent(3);
    assert.deepEqual(
      range(5).map(() => calls.expire(late)),
      [false, false, false, true, false],
    );
    assert.deepEqual(rejected, [1, 2, 3]);
  });
});
