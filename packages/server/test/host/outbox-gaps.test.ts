import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Gaps } from "../../src/host/outbox/gaps.ts";
import { Outbox } from "../../src/host/outbox/outbox.ts";
import type { Outgoing } from "../../src/log/log.ts";
import { MemoryCluster, openNetwork } from "../../src/log/memory/memory-cluster.ts";
import { MemoryLog } from "../../src/log/memory/memory-log.ts";
import { TestClock } from "../support/test-clock.ts";

/** A log that assigns numbers before they are written, as with several nodes. */
class LateNumbers {
  readonly clock = new TestClock();
  readonly given: string[] = [];
  readonly #waiting = new Map<number, Outgoing>();
  readonly outbox: Outbox;

  constructor() {
    const log = new MemoryCluster(new MemoryLog(), openNetwork(this.clock)).node("one");
    this.outbox = new Outbox({
      log: {
        ...log,
        outbox: async (after, limit) => this.#after(after).slice(0, limit),
        outboxOf: async ({ to }, { after, upTo }, limit) =>
          this.#after(after)
            .filter((item) => item.to === to && item.number <= upTo)
            .slice(0, limit),
        delivered: async (numbers) => numbers.forEach((number) => void this.#waiting.delete(number)),
      },
      clock: this.clock,
      deciders: {},
      unsendable: "retry",
      senders: {
        sms: {
          send: async (_, { text }) => {
            this.given.push(text as string);
            return "sent";
          },
        },
      },
      ask: async () => ({}),
      onError: (error) => assert.fail(error as Error),
    });
  }

  #after(number: number): Outgoing[] {
    const found = [...this.#waiting.values()].filter((item) => item.number > number);
    return found.sort((one, other) => one.number - other.number);
  }

  /** Writes the row with this number now. */
  async write(number: number): Promise<void> {
    const item = { from: "game/g", version: number, to: "sms/1", body: { text: `n${number}` } } as const;
    this.#waiting.set(number, { number, ...item });
    this.outbox.wake();
    await this.clock.advance(1);
  }

  /** Without a notification, it must be found anyway. */
  later(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }
}

describe("outbox numbers that appear after later ones", () => {
  test("[CH7] [CL2] are delivered once each although they were skipped", async () => {
    const late = new LateNumbers();
    for (const number of [1, 2, 5, 3, 9, 8, 4]) await late.write(number);
    await late.later(1_000);
    assert.deepEqual(late.given, ["n1", "n2", "n5", "n3", "n9", "n8", "n4"]);
    await late.outbox.stop();
  });

  test("[CH7] [CL2] in any order", async () => {
    const orders = fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        const late = new LateNumbers();
        for (const number of order) await late.write(number);
        await late.later(1_000);
        assert.deepEqual([...late.given].sort(), order.map((number) => `n${number}`).sort());
        await late.outbox.stop();
      }),
      { numRuns: 40 },
    );
  });

  test("[CH7] the search for a number that never appears ends", async () => {
    const late = new LateNumbers();
    await late.write(3);
    await late.later(10_500);
    assert.equal(late.clock.timers, 0);
    await late.outbox.stop();
  });

  test("[LM2] the number of gaps is limited, and the oldest are dropped", () => {
    const gaps = new Gaps(10_000);
    for (let number = 2; number <= 2_400; number += 2) gaps.pass(number - 2, [number], 0);
    const left = gaps.at(1);
    assert.equal(left.length, 1_000);
    assert.deepEqual([left[0].upTo, left.at(-1)?.upTo], [401, 2_399]);
    gaps.fill(2_399);
    assert.equal(gaps.at(1).length, 999);
    assert.deepEqual(gaps.at(10_000), []);
  });
});
