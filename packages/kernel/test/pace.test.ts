import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Pace } from "../src/queue/pace/pace.ts";
import { Chance } from "./queue-stage.ts";
import { millis } from "./room-stage.ts";

describe("recent admissions", () => {
  test("[ST1] are counted by whole seconds, including the current one, for the last ten minutes", () => {
    const pace = new Pace();
    const start = 1_800_000_000_000;
    assert.equal(pace.within(60, millis(start)), 0);
    pace.add(3, millis(start));
    pace.add(2, millis(start + 999));
    pace.add(4, millis(start + 1_000));
    assert.equal(pace.within(1, millis(start + 1_500)), 4);
    assert.equal(pace.within(2, millis(start + 1_500)), 9);
    assert.equal(pace.within(60, millis(start + 59_999)), 9);
    assert.equal(pace.within(60, millis(start + 60_000)), 4);
    assert.equal(pace.within(60, millis(start + 61_000)), 0);
    assert.equal(pace.within(600, millis(start + 599_999)), 9);
    assert.equal(pace.within(600, millis(start + 601_000)), 0);
    assert.equal(pace.within(100_000, millis(start + 599_999)), 9);
  });

  test("[ST1] equal a full list of admissions at any time for any span, saved in between or not", () => {
    for (let seed = 1; seed <= 8; seed++) {
      const chance = new Chance(seed);
      let pace = new Pace();
      const all: { second: number; count: number }[] = [];
      let now = 1_800_000_000_000;
      for (let step = 0; step < 400; step++) {
        now += chance.of([0, 1, 400, 1_000, 30_000, 599_000, 600_000, 5_000_000]);
        if (chance.percent(60)) {
          const count = 1 + chance.below(9);
          pace.add(count, millis(now));
          all.push({ second: Math.floor(now / 1000), count });
        }
        if (chance.percent(20)) {
          const { counts, second } = pace.save();
          pace = new Pace(new Uint32Array(counts), second);
        }
        for (const span of [1, 20, 60, 137, 600]) {
          const [last, first] = [Math.floor(now / 1000), Math.floor(now / 1000) - span + 1];
          const expected = all.filter(({ second }) => second >= first && second <= last);
          assert.equal(
            pace.within(span, millis(now)),
            expected.reduce((sum, { count }) => sum + count, 0),
            `seed ${seed}, step ${step}, ${span} s`,
          );
        }
      }
    }
  });

  test("[ST1] a snapshot does not change", () => {
    const pace = new Pace();
    pace.add(3, millis(1_000));
    const { counts } = pace.save();
    pace.add(3, millis(1_000));
    assert.equal(counts[1], 3);
  });
});
