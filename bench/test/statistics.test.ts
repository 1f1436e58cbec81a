import assert from "node:assert/strict";
import { test } from "node:test";
import { median, quantile, ratioSpread, spreadOf } from "../src/statistics.ts";

test("quantiles lie between neighbours in proportion", () => {
  assert.equal(median([3]), 3);
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(quantile([10, 20, 30, 40], 0.25), 17.5);
  assert.deepEqual(spreadOf([7, 1, 3, 5, 9]), { median: 5, lower: 3, upper: 7 });
});

test("numbers are put in order as numbers, and the caller's stay as they were", () => {
  const values = [100, 9, 20];
  assert.equal(median(values), 20);
  assert.deepEqual(values, [100, 9, 20]);
});

test("a ratio is taken within each round, so a machine that slows down for both cancels out", () => {
  const bare = [40, 20, 4];
  const openseat = [32, 16, 3.2];
  assert.deepEqual(ratioSpread(openseat, bare), { median: 0.8, lower: 0.8, upper: 0.8 });
});
