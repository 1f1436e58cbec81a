import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isWorthSaying, roundStep } from "../../src/wait/browser/announcing.ts";

describe("when the position is announced", () => {
  test("round steps are 1, 2 and 5 of each size", () => {
    const positions = [1, 2, 3, 4, 5, 9, 10, 19, 20, 49, 50, 99, 700, 1_000, 12_480];
    assert.deepEqual(
      positions.map(roundStep),
      [1, 2, 2, 2, 5, 5, 10, 10, 20, 20, 50, 50, 500, 1_000, 10_000],
    );
  });

  test("at a round step after half a minute, between steps after two, and never when it has not changed", () => {
    const last = { position: 142, atMs: 0 };
    const isSaid = (position: number, nowMs: number) => isWorthSaying(last, position, nowMs);
    assert.deepEqual([isSaid(99, 29_999), isSaid(99, 30_000)], [false, true]);
    assert.deepEqual([isSaid(141, 30_000), isSaid(141, 120_000)], [false, true]);
    assert.equal(isSaid(142, 600_000), false);
  });
});
