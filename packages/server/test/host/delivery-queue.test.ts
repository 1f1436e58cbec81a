import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DeliveryQueue } from "../../src/host/outbox/delivery-queue.ts";
import type { Outgoing, Span } from "../../src/log/log.ts";
import { MemoryLog } from "../../src/log/memory/memory-log.ts";
import { TestClock, turns } from "../support/test-clock.ts";

const item = (number: number): Outgoing => ({
  ...{ number, from: "game/g", version: number, to: "sms/1", body: {} },
});

describe("a delivery queue of the outbox", () => {
  test("[CH7] an item that is written late and found while the queue reads the log is delivered", async () => {
    const carried: number[] = [];
    const reads: { readonly span: Span; answer(numbers: readonly number[]): void }[] = [];
    const log = Object.assign(new MemoryLog(), {
      outboxOf: (_: unknown, span: Span) =>
        new Promise<Outgoing[]>((resolve) => {
          reads.push({ span, answer: (numbers) => resolve(numbers.map(item)) });
        }),
    });
    let isEnded = false;
    const handler = {
      itemsMax: 2,
      handle: async ([first]: readonly Outgoing[]) => {
        carried.push(first.number);
        return { done: 1 };
      },
    };
    const parts = { log, clock: new TestClock(), counts: { held: 0 }, onError: assert.ifError };
    const lane = new DeliveryQueue({ to: "sms/1" }, handler, {
      ...parts,
      onEnd: () => {
        isEnded = true;
      },
    });
    for (const number of [1, 2, 3, 5]) lane.give(item(number));
    lane.start();
    await turns();
    assert.deepEqual(reads[0].span, { after: 2, upTo: 5 });
    lane.give(item(4));
    reads[0].answer([3, 5]);
    await turns();
    while (!isEnded && reads.length > 1) reads.pop()?.answer([]);
    await turns();
    assert.deepEqual(carried, [1, 2, 3, 5, 4]);
    assert.ok(isEnded);
  });
});
