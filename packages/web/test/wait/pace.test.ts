import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  askDelayMs,
  retryAfterSecondsOf,
  retryDelayMs,
  silenceLimitMs,
} from "../../src/wait/browser/connection/pace.ts";

function span(failures: number, askAgainSeconds: number, retryAfterSeconds?: number): [number, number] {
  const retry = { failures, askAgainSeconds, retryAfterSeconds };
  return [retryDelayMs({ ...retry, chance: 0 }), retryDelayMs({ ...retry, chance: 1 })];
}

describe("after a failure", () => {
  test("each wait is longer than the one before, up to half a minute", () => {
    assert.deepEqual(span(1, 1), [500, 2_000]);
    assert.deepEqual(span(2, 1), [1_000, 4_000]);
    assert.deepEqual(span(4, 1), [4_000, 16_000]);
    assert.deepEqual(span(5, 1), [7_500, 30_000]);
    assert.deepEqual(span(5_000, 1), [7_500, 30_000]);
  });

  test("a crowd with a long poll interval returns over a longer time", () => {
    assert.deepEqual(span(1, 30), [3_750, 15_000]);
    assert.deepEqual(span(1, 3_600), [7_500, 30_000]);
  });

  test("nobody retries before Retry-After, and not everyone at once after it", () => {
    assert.deepEqual(span(1, 1, 20), [20_000, 21_500]);
    assert.deepEqual(span(5, 1, 20), [20_000, 42_500]);
    assert.deepEqual(span(5, 1, 999_999), [300_000, 322_500]);
  });
});

describe("while all is well", () => {
  test("the page polls a little early, and at most once per second", () => {
    assert.deepEqual([askDelayMs(20, 0), askDelayMs(20, 1)], [16_000, 20_000]);
    assert.equal(askDelayMs(0, 1), 1_000);
  });

  test("a stream may be silent for two poll intervals", () => {
    assert.deepEqual([silenceLimitMs(1), silenceLimitMs(30)], [20_000, 60_000]);
  });
});

test("Retry-After counts in seconds only", () => {
  const read = ["5", "0", "-1", "1.5", "soon", "Wed, 21 Oct 2026 07:28:00 GMT", "", "99999999", null];
  assert.deepEqual(read.map(retryAfterSecondsOf), [5, 0, ...Array(7).fill(undefined)]);
});
