import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { TimeSlices } from "../../src/time-slices.ts";
import { range } from "../support/http.ts";

/** An event loop of which each turn is run by hand. */
class HandLoop {
  #queue: (() => void)[] = [];

  soon(run: () => void): void {
    this.#queue.push(run);
  }

  /** False when nothing waited. */
  async turn(): Promise<boolean> {
    const queue = this.#queue;
    this.#queue = [];
    for (const run of queue) run();
    await new Promise(setImmediate);
    return queue.length > 0;
  }
}

suite("time slices", () => {
  test("[LM10] each turn of the event loop runs one slice of long work, however much of it is under way", async () => {
    const loop = new HandLoop();
    const slices = new TimeSlices(loop);
    const order: number[] = [];
    const work = range(3).map(async (job) => {
      for (const _ of range(2)) await slices.run(() => order.push(job));
    });
    const perTurn: number[] = [];
    for (let before = 0; await loop.turn(); before = order.length) perTurn.push(order.length - before);
    await Promise.all(work);
    assert.deepEqual(perTurn, [1, 1, 1, 1, 1, 1]);
    assert.deepEqual(order, [0, 1, 2, 0, 1, 2], "in the order in which they asked");
  });

  test("[LM10] a slice that waits for something holds back the next", async () => {
    const loop = new HandLoop();
    const slices = new TimeSlices(loop);
    const { promise, resolve } = Promise.withResolvers<string>();
    const first = slices.run(() => promise);
    let isSecond = false;
    const second = slices.run(() => {
      isSecond = true;
    });
    for (const _ of range(3)) await loop.turn();
    assert.equal(isSecond, false);
    resolve("read");
    assert.equal(await first, "read");
    assert.equal(isSecond, false, "not in the same turn");
    for (const _ of range(3)) await loop.turn();
    assert.equal(isSecond, true);
    await second;
  });

  test("[LM10] a slice that fails is its own job's trouble, and after a pause the next is served again", async () => {
    const loop = new HandLoop();
    const slices = new TimeSlices(loop);
    for (const _ of range(2)) {
      const failed = assert.rejects(
        slices.run(() => {
          throw new Error("a fault");
        }),
        /a fault/,
      );
      const next = slices.run(() => "served");
      while (await loop.turn());
      await failed;
      assert.equal(await next, "served");
    }
  });
});
