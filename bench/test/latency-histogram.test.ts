import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LatencyHistogram } from "../src/latency-histogram.ts";

const shares = [0, 0.01, 0.5, 0.9, 0.99, 0.999, 1];
const errorMax = 1 / 64;

function histogramOf(values: readonly number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const value of values) histogram.record(value);
  return histogram;
}

const latencies = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 300 }),
    fc.integer({ min: 0, max: 100_000 }),
    fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  ),
  { minLength: 1, maxLength: 300 },
);

test("percentiles are the exact ones to 1.6 %", () => {
  fc.assert(
    fc.property(latencies, (values) => {
      const histogram = histogramOf(values);
      const sorted = values.toSorted((left, right) => left - right);
      for (const share of shares) {
        const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1];
        const found = histogram.percentileUs(share);
        assert.ok(Math.abs(found - exact) <= exact * errorMax, `share ${share}: ${found} for ${exact}`);
      }
    }),
  );
});

test("two histograms added are one of all their values", () => {
  fc.assert(
    fc.property(latencies, latencies, (left, right) => {
      const sum = histogramOf(left);
      sum.add(histogramOf(right));
      const whole = histogramOf([...left, ...right]);
      assert.equal(sum.total, whole.total);
      for (const share of shares) assert.equal(sum.percentileUs(share), whole.percentileUs(share));
    }),
  );
});

test("fractions are cut, what is beyond all bounds is kept at the bound, and nothing gives nothing", () => {
  assert.equal(histogramOf([99.9]).percentileUs(0.5), 99);
  assert.ok(histogramOf([1e12]).percentileUs(0.5) > 2e9);
  assert.equal(new LatencyHistogram().percentileUs(0.99), 0);
});

test("counts that were taken to another process are the same histogram there", () => {
  const here = new LatencyHistogram();
  for (const value of [3, 3, 700, 1_000_000]) here.record(value);
  const there = LatencyHistogram.of(JSON.parse(JSON.stringify([...here.counts])));
  assert.equal(there.total, 4);
  for (const share of [0.5, 0.75, 1]) assert.equal(there.percentileUs(share), here.percentileUs(share));
});
