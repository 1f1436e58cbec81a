import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Refresher } from "../../src/ui/hooks/refreshing.ts";

/** A clock and answers that a test controls. */
function stage() {
  let now = 0;
  const timers: { at: number; run: () => void }[] = [];
  const answers: (() => void)[] = [];
  const askedAt: number[] = [];
  const timing = {
    now: () => now,
    after(ms: number, run: () => void) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  };
  const ask = () => {
    askedAt.push(now);
    return new Promise<void>((resolve) => answers.push(resolve));
  };
  return {
    refresher: new Refresher(ask, 1_000, timing),
    askedAt,
    timers,
    async answer(): Promise<void> {
      answers.shift()!();
      await new Promise(setImmediate);
    },
    pass(ms: number): void {
      now += ms;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.run();
      }
    },
  };
}

describe("refreshing after changes", () => {
  test("happens at once, and then once a second however much changes", async () => {
    const { refresher, askedAt, answer, pass } = stage();
    refresher.request();
    await answer();
    for (let change = 0; change < 99; change++) {
      pass(10);
      refresher.request();
    }
    pass(10);
    assert.deepEqual(askedAt, [0, 1_000]);
    await answer();
    pass(5_000);
    assert.deepEqual(askedAt, [0, 1_000], "nothing has changed since");
    refresher.request();
    assert.deepEqual(askedAt, [0, 1_000, 6_000]);
  });

  test("never runs twice at once; a change in the meantime triggers another refresh", async () => {
    const { refresher, askedAt, answer, pass } = stage();
    refresher.request();
    refresher.request();
    pass(3_000);
    assert.deepEqual(askedAt, [0], "the first answer is still pending");
    await answer();
    assert.deepEqual(askedAt, [0, 3_000]);
    await answer();
    pass(3_000);
    assert.deepEqual(askedAt, [0, 3_000]);
  });

  test("stops, and leaves no timer behind", async () => {
    const { refresher, askedAt, answer, pass, timers } = stage();
    refresher.request();
    await answer();
    refresher.request();
    assert.equal(timers.length, 1);
    refresher.stop();
    assert.equal(timers.length, 0);
    refresher.request();
    pass(5_000);
    assert.deepEqual(askedAt, [0]);
  });
});
