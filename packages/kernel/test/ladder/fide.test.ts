import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { expectedScore } from "../../src/ladder/ratings/elo.ts";
import { hundredths } from "./fide-table.ts";

describe("FIDE's table", () => {
  test("[LD10] gives the curve's values at every whole difference, in both directions", () => {
    assert.equal(hundredths.length, 801);
    for (const [difference, chance] of hundredths.entries()) {
      assert.equal(expectedScore("fide", difference), chance / 100, `${difference}`);
      if (difference > 0)
        assert.equal(expectedScore("fide", -difference), (100 - chance) / 100, `-${difference}`);
    }
  });

  test("[LD10] applies to the nearest whole difference, and ends at certainty", () => {
    assert.equal(expectedScore("fide", 3.49), 0.5);
    assert.equal(expectedScore("fide", 3.5), 0.51);
    assert.equal(expectedScore("fide", -3.5), 0.49);
    assert.equal(expectedScore("fide", 10_000), 1);
    assert.equal(expectedScore("fide", -10_000), 0);
  });

  test("[LD10] is never further than two hundredths from the formula", () => {
    for (const [difference, chance] of hundredths.entries()) {
      const apart = Math.abs(expectedScore("logistic", difference) - chance / 100);
      assert.ok(apart < 0.02, `${apart} at ${difference}`);
    }
  });
});
