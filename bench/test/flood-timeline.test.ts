import assert from "node:assert/strict";
import { test } from "node:test";
import { goodputIn, latencyIn, memoryIn } from "../src/flood/measuring/measurements.ts";
import { type Phase, type Slice, within } from "../src/flood/measuring/timeline.ts";
import type { PoliteRequest } from "../src/flood/stage/polite-client.ts";

/** Slices of a second each, from 0 on: "d" is an undisturbed one during the attack, "D" a disturbed one; likewise b, r and a. */
function slicesOf(letters: string): Slice[] {
  const phases: Record<string, Phase> = { b: "before", d: "during", r: "recovery", a: "after" };
  return [...letters].map((letter, second) => ({
    phase: phases[letter.toLowerCase()],
    fromMs: 1000 * second,
    toMs: 1000 * (second + 1),
    disturbed: letter !== letter.toLowerCase(),
  }));
}

function request(fromMs: number, toMs: number): PoliteRequest {
  return { what: "can-join", fromMs, toMs };
}

test("a request belongs to the phase in which it was due", () => {
  const spans = [request(900, 1_100), request(1_000, 1_010), request(2_999, 3_500)];
  assert.deepEqual(within(spans, slicesOf("bdda"), "during"), [spans[1], spans[2]]);
  assert.deepEqual(within(spans, slicesOf("bdda"), "before"), [spans[0]]);
});

test("what went on in a disturbed slice does not count", () => {
  const spans = [request(100, 200), request(900, 1_100), request(1_500, 1_600), request(2_100, 2_200)];
  assert.deepEqual(within(spans, slicesOf("dDd"), "during"), [spans[0], spans[3]]);
});

test("everything counts when most of a phase was disturbed", () => {
  const spans = [request(100, 200), request(1_500, 1_600), request(2_100, 2_200)];
  assert.deepEqual(within(spans, slicesOf("DDd"), "during"), spans);
});

test("percentiles and the longest wait are those of the phase", () => {
  const requests = Array.from({ length: 100 }, (_, index) => request(10 * index, 10 * index + 5));
  requests[50] = request(500, 900);
  const { requests: count, p50Ms, p99Ms, maxMs } = latencyIn(requests, slicesOf("da"), "during");
  assert.equal(count, 100);
  assert.ok(Math.abs(p50Ms - 5) < 0.2);
  assert.ok(Math.abs(p99Ms - 5) < 0.2);
  assert.equal(maxMs, 400);
  assert.ok(Number.isNaN(latencyIn(requests, slicesOf("da"), "after").p99Ms));
});

test("memory is known before, at its peak and after, and so is how it grew late in the attack", () => {
  const levels = [100, 100, 150, 200, 250, 400, 120, 110];
  const samples = levels.map((bytes, second) => ({ atMs: 1000 * second + 500, bytes }));
  assert.deepEqual(memoryIn(samples, slicesOf("bbdddraa")), {
    beforeBytes: 100,
    peakBytes: 400,
    afterBytes: 115,
    lateGrowthBytes: 50,
  });
});

test("goodput is the middle rate of each load, without disturbed stretches", () => {
  const sample = (second: number, load: "open" | "closed", good: number) => ({
    fromMs: 1000 * second,
    toMs: 1000 * second + 500,
    load,
    good,
  });
  const samples = [
    sample(0, "closed", 500),
    sample(1, "closed", 5),
    sample(2, "open", 470),
    sample(3, "open", 480),
    sample(4, "open", 460),
  ];
  assert.deepEqual(goodputIn(samples, slicesOf("dDddd")), { peakPerSecond: 1_000, overloadPerSecond: 940 });
});
