import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LatencyHistogram } from "../src/latency-histogram.ts";
import { Progress } from "../src/progress.ts";
import { alternate, type Contender } from "../src/slices.ts";
import { quantile, ratioSpread, spreadOf } from "../src/statistics.ts";

test("a ratio is taken within each round, so a machine that slows down for both cancels out", () => {
  assert.equal(quantile([10, 20, 30, 40], 0.25), 17.5);
  assert.deepEqual(spreadOf([7, 1, 100, 5, 9]), { median: 7, lower: 5, upper: 9 });
  const bare = [40, 20, 4];
  const openseat = [32, 16, 3.2];
  assert.deepEqual(ratioSpread(openseat, bare), { median: 0.8, lower: 0.8, upper: 0.8 });
});

test("percentiles are the exact ones to 1.6 %, also of histograms that were added", () => {
  const latencies = fc.array(fc.oneof(fc.nat(300), fc.nat(100_000), fc.nat(2 ** 31 - 1)), { minLength: 1 });
  fc.assert(
    fc.property(latencies, latencies, (first, second) => {
      const [histogram, other] = [first, second].map((values) => {
        const recorded = new LatencyHistogram();
        for (const value of values) recorded.record(value);
        return recorded;
      });
      // As another process sends it.
      histogram.add(LatencyHistogram.of(JSON.parse(JSON.stringify([...other.counts]))));
      const sorted = [...first, ...second].sort((left, right) => left - right);
      assert.equal(histogram.total, sorted.length);
      for (const share of [0, 0.5, 0.9, 0.99, 1]) {
        const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1];
        const found = histogram.percentileUs(share);
        assert.ok(Math.abs(found - exact) <= exact / 64, `share ${share}: ${found} for ${exact}`);
      }
    }),
  );
});

test("what a slice has caused is waited for before anybody else has a turn", async () => {
  const done: string[] = [];
  const contender = (name: string, causes: boolean): Contender => ({
    name,
    pid: process.pid,
    prepare: () => void done.push(`${name} prepares`),
    async run() {
      done.push(`${name} runs`);
      return { answered: 1, elapsedMs: 1, latency: new LatencyHistogram() };
    },
    ...(causes && { settle: async () => void done.push(`${name} settles`) }),
  });
  const silent = { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream;
  const progress = new Progress(4, silent);
  const { sides } = await alternate([contender("one", true), contender("other", false)], {
    ...{ rounds: 1, warmUps: 1, rerunsMax: 0, progress },
  });
  const turn = ["one prepares", "one runs", "one settles", "other prepares", "other runs"];
  assert.deepEqual(done, [...turn, ...turn]);
  assert.deepEqual(
    sides.map(({ slices }) => slices.length),
    [1, 1],
  );
});
