import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { TimeSlices } from "../../src/scheduling/time-slices.ts";
import { HandLoop } from "../support/hand-loop.ts";
import { range } from "../support/http.ts";

suite("time slices", () => {
  test("[LM10] each tick of the event loop runs one slice of long work, however much of it is waiting", async () => {
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
    assert.deepEqual(order, [0, 1, 2, 0, 1, 2], "in the order of the requests");
  });

  test("[LM10] sources alternate: a crowd at one address delays another address by one slice at a time", async () => {
    const loop = new HandLoop();
    const slices = new TimeSlices(loop);
    const order: string[] = [];
    const add = (source: string) => slices.run(() => order.push(source), source);
    const work = [...range(100).map(() => add("crowd")), ...range(3).map(() => add("honest")), add("late")];
    while (await loop.turn());
    await Promise.all(work);
    assert.deepEqual(order.slice(0, 7), ["crowd", "honest", "late", "crowd", "honest", "crowd", "honest"]);
    assert.equal(order.length, 104);
  });

  test("[LM10] a slice that waits delays the next", async () => {
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
    assert.equal(isSecond, false, "not in the same tick");
    for (const _ of range(3)) await loop.turn();
    assert.equal(isSecond, true);
    await second;
  });

  test("[LM10] a slice that fails affects only its own job, and after a pause the next is served again", async () => {
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
