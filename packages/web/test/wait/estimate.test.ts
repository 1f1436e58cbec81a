import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { nextEstimate, type ShownEstimate } from "../../src/wait/browser/estimate.ts";

const shown: ShownEstimate = { estimate: { lowSeconds: 240, highSeconds: 360 }, sinceMs: 0 };
const fall = { lowSeconds: 180, highSeconds: 300 };
const smallRise = { lowSeconds: 300, highSeconds: 450 };
const rise = { lowSeconds: 400, highSeconds: 600 };

describe("the estimate on the screen", () => {
  test("does not change within five seconds of its last change", () => {
    assert.equal(nextEstimate(shown, fall, 4_999), shown);
    assert.deepEqual(nextEstimate(shown, fall, 5_000), { estimate: fall, sinceMs: 5_000 });
  });

  test("does not rise by less than its own width", () => {
    assert.equal(nextEstimate(shown, smallRise, 60_000), shown);
    assert.deepEqual(nextEstimate(shown, rise, 60_000).estimate, rise);
  });

  test("a slow rise is shown once it is large enough", () => {
    let now = shown;
    const seen: number[] = [];
    for (let step = 1; step <= 10; step++) {
      now = nextEstimate(now, { lowSeconds: 240 + step * 30, highSeconds: 360 + step * 30 }, step * 10_000);
      seen.push(now.estimate?.lowSeconds ?? 0);
    }
    assert.deepEqual(seen, [240, 240, 240, 360, 360, 360, 360, 480, 480, 480]);
  });

  test("appears as soon as there is one, and disappears when there is none", () => {
    const none: ShownEstimate = { estimate: null, sinceMs: 0 };
    assert.deepEqual(nextEstimate(none, fall, 1).estimate, fall);
    assert.equal(nextEstimate(none, null, 9_000), none);
    assert.equal(nextEstimate(shown, null, 9_000).estimate, null);
  });
});
