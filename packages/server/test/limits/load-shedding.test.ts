import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LoadShedding } from "../../src/transport/limits/load-shedding.ts";
import { range } from "../support/http.ts";

const newWork = { isBegun: false, cost: 0 };
const begunWork = { isBegun: true, cost: 0 };
const overloadMs = 400;

/** Load shedding, with a delay and a time that the test controls. */
class Stage {
  readonly delay = { ms: 0 };
  #now = 0;
  chance = 0;
  readonly shedding = new LoadShedding({
    delay: this.delay,
    overloadMs,
    elapsed: () => this.#now,
    random: () => this.chance,
  });

  /** How many of this many requests are served. */
  served(address: string, count: number, traits = newWork): number {
    return range(count).filter(() => this.shedding.refusalFor(traits, address) === undefined).length;
  }

  /** The event loop is this late for that many samples. */
  sample(delayMs: number, samples: number): void {
    this.delay.ms = delayMs;
    for (const _ of range(samples)) {
      this.#now += 20;
      this.shedding.adjust();
    }
  }

  /** To the beginning of the next second. */
  nextWindow(delayMs = 0): void {
    this.sample(delayMs, 50);
  }
}

describe("load shedding", () => {
  test("[LM4] a server on time refuses nothing", () => {
    const stage = new Stage();
    for (const _ of range(5)) {
      assert.equal(stage.served("heavy", 10_000), 10_000);
      assert.equal(stage.served("light", 1), 1);
      stage.nextWindow(50);
    }
    assert.deepEqual(stage.shedding.counts, { address: 0, overload: 0 });
  });

  test("[LM4] while the server is busy, the most active addresses are refused first", () => {
    const stage = new Stage();
    stage.served("heavy", 4_000);
    stage.served("middle", 1_500);
    stage.served("light", 10);
    stage.sample(120, 1);
    stage.nextWindow();
    assert.equal(stage.served("heavy", 4_000), 2_000);
    assert.equal(stage.served("middle", 1_500), 1_500);
    assert.equal(stage.served("light", 10), 10);
    assert.equal(stage.served("heavy", 100, begunWork), 100, "work already begun continues");
    assert.deepEqual(stage.shedding.counts, { address: 2_000, overload: 0 });
  });

  test("[LM4] the limit falls as long as the server is busy, but never below the need of an honest visitor", () => {
    const stage = new Stage();
    stage.served("heavy", 4_000);
    stage.served("light", 10);
    stage.sample(120, 10);
    stage.nextWindow();
    assert.equal(stage.served("heavy", 4_000), 1_000, "two cuts, each with time to take effect");
    stage.nextWindow(120);
    assert.equal(stage.served("heavy", 4_000), 50);
    assert.equal(stage.served("light", 50), 50);
  });

  test("[LM4] the limit falls and rises in proportion to the delay", () => {
    const stage = new Stage();
    stage.served("heavy", 4_000);
    stage.served("light", 10);
    stage.sample(80, 1);
    stage.nextWindow(48);
    assert.equal(stage.served("heavy", 4_000), 3_000);
    stage.nextWindow(48);
    assert.equal(stage.served("heavy", 4_000), 3_750);
  });

  test("[LM4] the limit rises while the server is on time, and is removed when nobody reaches it", () => {
    const stage = new Stage();
    stage.served("heavy", 4_000);
    stage.served("light", 10);
    stage.sample(120, 1);
    stage.nextWindow();
    const served = range(3).map(() => {
      const count = stage.served("heavy", 4_000);
      stage.nextWindow();
      return count;
    });
    assert.deepEqual(served, [2_000, 3_000, 4_000]);
    stage.served("heavy", 100);
    stage.nextWindow();
    assert.equal(stage.served("heavy", 10_000), 10_000);
  });

  test("[LM4] if all load comes from one address, a busy server refuses nothing", () => {
    const stage = new Stage();
    stage.served("only", 4_000);
    stage.sample(120, 20);
    assert.equal(stage.served("only", 4_000), 4_000);
  });

  test("[LM4] a flood of work already begun is refused above a high limit, and polite clients are not", () => {
    const stage = new Stage();
    stage.served("flood", 200_000, begunWork);
    stage.served("school", 300);
    // While the server is late, the limit falls; then it is on time.
    stage.sample(120, 41);
    stage.nextWindow();
    assert.equal(stage.served("flood", 200_000, begunWork), 1_000);
    assert.equal(stage.served("school", 300), 300);
    assert.equal(stage.served("school", 300, begunWork), 300);
  });

  test("[LM4] an overloaded server refuses all new work, and work already begun continues", () => {
    const stage = new Stage();
    stage.sample(401, 1);
    assert.equal(stage.served("light", 1), 0);
    assert.equal(stage.served("light", 1, begunWork), 1);
    assert.deepEqual(stage.shedding.counts, { address: 0, overload: 1 });
    stage.sample(0, 1);
    assert.equal(stage.served("light", 1), 1);
  });

  test("[LM4] a refusal has a Retry-After that varies", () => {
    const stage = new Stage();
    stage.sample(1_000, 1);
    const seconds = [0, 0.5, 0.999].map((chance) => {
      stage.chance = chance;
      const refusal = stage.shedding.refusalFor(newWork, "light")!;
      assert.deepEqual([refusal.code, refusal.retryable], ["server.busy", true]);
      return refusal.retryAfterSeconds;
    });
    assert.deepEqual(seconds, [1, 3, 5]);
  });

  test("[LM4] addresses beyond the counted ones are served", () => {
    const stage = new Stage();
    for (const index of range(100_001)) stage.served(`address ${index}`, 1);
    assert.equal(stage.served("one more", 200), 200);
  });
});
