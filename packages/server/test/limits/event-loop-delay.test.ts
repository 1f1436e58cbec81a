import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../src/clock.ts";
import { EventLoopDelay } from "../../src/transport/limits/event-loop-delay.ts";
import { range } from "../support/http.ts";

/** A clock whose single timer fires as late as a test says, because of work or because of other processes. */
class LateClock {
  #elapsed = 0;
  cpuMs = 0;
  #dueAt = 0;
  #run: (() => void) | undefined;

  elapsed(): number {
    return this.#elapsed;
  }

  after(ms: number, run: () => void): { cancel(): void } {
    this.#dueAt = this.#elapsed + ms;
    this.#run = run;
    return { cancel: () => (this.#run = undefined) };
  }

  fire(lateMs: number, cpuMs = lateMs): void {
    this.cpuMs += cpuMs;
    this.#elapsed = this.#dueAt + lateMs;
    this.#run?.();
  }
}

test("[LM4] only several late samples in a row are a delay: a single pause is none", () => {
  const clock = new LateClock();
  const delay = new EventLoopDelay(clock as unknown as Clock, () => clock.cpuMs);
  const seen: number[] = [];
  delay.start(() => seen.push(delay.ms));
  for (const lateMs of [0, 0, 3_000, 0, 0, 500, 400, 300]) clock.fire(lateMs);
  assert.deepEqual(seen, [0, 0, 0, 0, 0, 0, 0, 0]);
  for (const lateMs of [200, 600, 700, 800, 900, 0]) clock.fire(lateMs);
  assert.deepEqual(seen.slice(8), [200, 200, 200, 200, 600, 0]);
  delay.stop();
  clock.fire(100);
  assert.equal(seen.length, 14);
});

test("[LM4] while other processes use the processors, the server does not count as late", () => {
  const clock = new LateClock();
  const delay = new EventLoopDelay(clock as unknown as Clock, () => clock.cpuMs);
  delay.start(() => {});
  for (const _ of range(4)) clock.fire(500, 30);
  assert.equal(delay.ms, 30);
});
