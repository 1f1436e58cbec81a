import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Registry } from "prom-client";
import type { QueueStreams } from "../../src/app/queues/queues.ts";
import { measureQueues } from "../../src/boot/queue-metrics.ts";
import { TestClock, turns, watched } from "../support/test-clock.ts";

const room = {
  ...{ line: { length: 7 }, admitted: 0, active: 0, moved: 0, completed: 0, left: 0, expired: 0 },
  waits: { averages: { estimated: 0 } },
};

suite("metrics of waiting rooms", () => {
  test("[LG10] while the log does not respond, they keep their last values, within a second", async () => {
    let hangs = false;
    const streams = {
      lookAround: async (_max: number, look: (id: string, state: typeof room) => unknown) => {
        if (hangs) await new Promise(() => {});
        return [look("q", room)];
      },
    } as unknown as QueueStreams;
    const registry = new Registry();
    const clock = new TestClock();
    measureQueues(registry, streams, clock);
    const waiting = /^openseat_queue_waiting\{queue="q"\} 7$/m;
    assert.match(await registry.metrics(), waiting);
    assert.equal(clock.timers, 0);
    hangs = true;
    const asked = watched(registry.metrics());
    await turns();
    assert.ok(!asked.settled);
    await clock.advance(1_000);
    assert.match(await asked.promise, waiting);
  });
});
