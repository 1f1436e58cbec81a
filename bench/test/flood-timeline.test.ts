import assert from "node:assert/strict";
import { test } from "node:test";
import { foreignCpuMs, type ProcessStat, parseProcessStat } from "../src/flood/measuring/disturbance.ts";
import { type GoodputSample, goodputIn, peakOf } from "../src/flood/measuring/goodput.ts";
import { disturbedIn, failuresIn, latencyIn, memoryIn } from "../src/flood/measuring/measurements.ts";
import { Reruns, watchSlices } from "../src/flood/measuring/quiet-slices.ts";
import { type Phase, type Slice, within } from "../src/flood/measuring/timeline.ts";
import type { PoliteRequest } from "../src/flood/stage/polite-client.ts";

/** Slices of a second each, from 0 on: "d" is one during the attack, "D" one that was run again; likewise b, r and a. */
function slicesOf(letters: string): Slice[] {
  const phases: Record<string, Phase> = { b: "before", d: "during", r: "recovery", a: "after" };
  return [...letters].map((letter, second) => ({
    phase: phases[letter.toLowerCase()],
    fromMs: 1000 * second,
    toMs: 1000 * (second + 1),
    disturbed: letter !== letter.toLowerCase(),
    replaced: letter !== letter.toLowerCase(),
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

test("a request that was due in a slice that counts counts, whatever slices it goes on in", () => {
  const spans = [request(100, 200), request(900, 1_900), request(1_500, 1_600), request(2_100, 2_200)];
  assert.deepEqual(within(spans, slicesOf("dDd"), "during"), [spans[0], spans[1], spans[3]]);
});

test("a disturbed slice that was not run again counts", () => {
  const slices = slicesOf("dd").map((slice) => ({ ...slice, disturbed: true }));
  const spans = [request(100, 200), request(1_500, 1_600)];
  assert.deepEqual(within(spans, slices, "during"), spans);
  assert.deepEqual(disturbedIn([...slices, ...slicesOf("D")]), { replaced: 1, counted: 2 });
});

test("disturbed slices are run again while reruns are left, and count after that", async () => {
  const disturbed = [true, false, true, true, false];
  const slices = await watchSlices(
    { phase: "during", seconds: 3 },
    new Reruns(2),
    async () => disturbed.shift() ?? false,
  );
  assert.deepEqual(
    slices.map((slice) => [slice.disturbed, slice.replaced]),
    [
      [true, true],
      [false, false],
      [true, true],
      [true, false],
      [false, false],
    ],
  );
});

test("no slice is dropped from a phase that cannot be made longer", async () => {
  let left = 2;
  const slices = await watchSlices(
    { phase: "during", seconds: 1, goesOn: () => left-- > 0 },
    new Reruns(9),
    async () => true,
  );
  assert.deepEqual(
    slices.map(({ replaced }) => replaced),
    [false, false, false],
  );
});

test("every failed request counts, also between phases and in slices that were run again", () => {
  const failed = [500, 1_500, 2_500, 9_000].map((fromMs) => ({
    ...request(fromMs, fromMs + 1),
    failure: "503",
  }));
  assert.deepEqual(failuresIn([request(0, 1), ...failed]), failed);
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

test("goodput is the answers of each load over its time, a collapse for a while included", () => {
  const sample = (second: number, load: "open" | "closed", good: number): GoodputSample => ({
    ...{ fromMs: 1000 * second, toMs: 1000 * second + 500, load, good },
    offered: load === "open" ? 1_500 : good,
    heldBack: load === "open" ? 1_000 : 0,
  });
  const samples = [
    sample(0, "closed", 600),
    sample(1, "closed", 5),
    sample(2, "closed", 400),
    sample(3, "open", 500),
    sample(4, "open", 500),
    sample(5, "open", 50),
  ];
  assert.deepEqual(goodputIn(samples, slicesOf("dDdddd")), {
    peakPerSecond: 1_000,
    offeredPerSecond: 3_000,
    heldBackPerSecond: 2_000,
    overloadPerSecond: 700,
  });
  // Attackers offer a multiple of the same figure.
  assert.equal(peakOf(samples.filter((_, number) => number !== 1)), 1_000);
});

test("only processes outside the run disturb it: not the bench, its children and theirs, nor the kernel", () => {
  const process = (pid: number, parent: number, cpuMs: number, isKernelThread = false): ProcessStat => ({
    ...{ pid, parent, cpuMs, isKernelThread },
  });
  const bench = [process(10, 1, 1_000), process(11, 10, 5_000), process(12, 11, 7_000)];
  const kernel = [process(2, 0, 3_000, true), process(3, 2, 9_000, true)];
  const others = [process(1, 0, 20), process(20, 1, 300), process(21, 20, 4)];
  assert.equal(foreignCpuMs([...bench, ...kernel, ...others], 10), 324);
  const fields = "S 41 42 42 0 -1 4194560 1 2 3 4 100 20 3 1 20 0 1 0";
  assert.deepEqual(parseProcessStat(`43 (a) b (c)) ${fields}`), process(43, 41, 1_240));
  const kernelThread = fields.replace("4194560", String(0x0020_8040));
  assert.equal(parseProcessStat(`43 (ksoftirqd/0) ${kernelThread}`).isKernelThread, true);
});
