import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { Fifo } from "../../src/scheduling/fifo.ts";
import { range } from "../support/http.ts";

suite("a first-in, first-out queue", () => {
  test("[LM2] it holds what an array would hold, through any mix of pushes and shifts", () => {
    const step = fc.oneof(
      fc.nat(3_000).map((pushed) => ({ pushed, shifted: 0 })),
      fc.nat(3_000).map((shifted) => ({ pushed: 0, shifted })),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const queue = new Fifo<number>();
        let next = 0;
        let expected = 0;
        for (const { pushed, shifted } of steps) {
          for (const _ of range(pushed)) queue.push(next++);
          for (const _ of range(shifted)) {
            const item = queue.shift();
            if (expected === next) assert.equal(item, undefined);
            else assert.equal(item, expected++);
          }
          assert.equal(queue.length, next - expected);
        }
      }),
    );
  });

  test("[LM2] items that were taken out are not kept in memory", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const queue = new Fifo<object>();
    const first = fillAndTake(queue);
    await new Promise(setImmediate);
    collectGarbage();
    assert.equal(first.deref(), undefined);
    assert.equal(queue.length, 1, "the queue itself is still in use");
  });
});

/** A separate function, so that no variable of the test keeps the item alive. */
function fillAndTake(queue: Fifo<object>): WeakRef<object> {
  queue.push({ name: "first" });
  queue.push({ name: "second" });
  return new WeakRef(queue.shift()!);
}
