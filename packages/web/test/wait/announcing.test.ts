import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isWorthSaying, roundStep } from "../../src/wait/browser/announcing.ts";

describe("when the position is worth saying aloud", () => {
  test("round steps are 1, 2 and 5 of each size", () => {
    const positions = [1, 2, 3, 4, 5, 9, 10, 19, 20, 49, 50, 99, 700, 1_000, 12_480];
    assert.deepEqual(
      positions.map(roundStep),
      [1, 2, 2, 2, 5, 5, 10, 10, 20, 20, 50, 50, 500, 1_000, 10_000],
    );
  });

  const last = { position: 142, atMs: 0 };
  const cases: [string, number, number, boolean][] = [
    ["not when it has not changed", 142, 600_000, false],
    ["not within half a minute, even at a round step", 99, 29_999, false],
    ["at a round step after half a minute", 99, 30_000, true],
    ["not between steps after half a minute", 120, 30_000, false],
    ["between steps after two minutes", 141, 120_000, true],
  ];
  for (const [name, position, nowMs, expected] of cases)
    test(name, () => assert.equal(isWorthSaying(last, position, nowMs), expected));
});
