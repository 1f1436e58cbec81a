import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { afterPeriod, rateGlicko2 } from "../../src/ladder/ratings/glicko2.ts";
import type { Contender, Score } from "../../src/ladder/ratings/rating.ts";
import { Chance } from "../queue-stage.ts";
import { glicko2, LadderStage } from "./stage.ts";

const player = (rating: number, deviation: number, volatility = 0.06): Contender => ({
  ...{ rating, deviation, volatility },
  games: 0,
});

/** The example of Glickman's paper: a player meets three opponents in one period. */
const example = afterPeriod({ tau: 0.5, floor: 0 }, player(1500, 200), [
  { opponent: player(1400, 30), score: 1 },
  { opponent: player(1550, 100), score: 0 },
  { opponent: player(1700, 300), score: 0 },
]);

/** Rating points per unit of the paper's internal scale. */
const scale = 173.7178;

describe("Glicko-2", () => {
  test("[LD10] gives every digit that Glickman's paper prints, rounded where the paper rounds", () => {
    // The paper rounds the internal rating to four digits before it converts it to points. So it prints 1464.06, where
    // rounding only at the end gives 1464.05.
    const inner = ((example.rating - 1500) / scale).toFixed(4);
    assert.equal(inner, "-0.2069");
    assert.equal((1500 + scale * Number(inner)).toFixed(2), "1464.06");
    assert.equal((example.deviation / scale).toFixed(4), "0.8722");
    assert.equal(example.deviation.toFixed(2), "151.52");
    // The paper truncates the volatility after five digits.
    assert.equal(Math.trunc(example.volatility * 1e5) / 1e5, 0.05999);
  });

  test("[LD10] gives the result of the paper's example without intermediate rounding", () => {
    assert.ok(Math.abs(example.rating - 1464.0506705393013) < 1e-9, String(example.rating));
    assert.ok(Math.abs(example.deviation - 151.51652412385727) < 1e-9, String(example.deviation));
    assert.ok(Math.abs(example.volatility - 0.059995984286488495) < 1e-9, String(example.volatility));
  });

  test("[LD10] each match is its own period, and uses the opponent's values before it", () => {
    const [a, b] = [player(1500, 200), player(1400, 30, 0.05)];
    const { change, deviation, volatility } = rateGlicko2(glicko2, [a, b], 0);
    const first = afterPeriod(glicko2, a, [{ opponent: b, score: 0 }]);
    const second = afterPeriod(glicko2, b, [{ opponent: a, score: 1 }]);
    assert.deepEqual(change, [first.rating - a.rating, second.rating - b.rating]);
    assert.deepEqual(deviation, [first.deviation, second.deviation]);
    assert.deepEqual(volatility, [first.volatility, second.volatility]);
    assert.ok(change[0] < 0 && change[1] > 0);
  });

  test("[LD10] the order of players does not matter", () => {
    const [a, b] = [player(1612, 80), player(1480, 300)];
    const one = rateGlicko2(glicko2, [a, b], 1);
    const other = rateGlicko2(glicko2, [b, a], 0);
    assert.deepEqual(one.change, other.change.toReversed());
    assert.deepEqual(one.deviation, other.deviation.toReversed());
    assert.deepEqual(one.volatility, other.volatility.toReversed());
  });

  test("[LD10] a draw between equals changes no rating, and lowers both deviations", () => {
    const stage = new LadderStage({ system: "glicko2" }).enrol("ann", "bob").play("ann 1:1 bob");
    for (const name of ["ann", "bob"]) {
      assert.equal(stage.rating(name), 1500);
      assert.ok(stage.of(name).deviation < 350);
    }
  });

  test("[LD10] nobody falls below the floor, and players below it do not fall further", () => {
    const strong = player(1500, 50);
    const atFloor = { ...glicko2, floor: 1200 };
    assert.equal(1200 + rateGlicko2(atFloor, [player(1200, 300), strong], 0).change[0], 1200);
    assert.equal(1250 + rateGlicko2(atFloor, [player(1250, 350), strong], 0).change[0], 1200);
    assert.equal(rateGlicko2(atFloor, [player(1100, 300), strong], 0).change[0], 0);
    assert.ok(rateGlicko2(atFloor, [player(1100, 300), strong], 1).change[0] > 0);
  });

  test("[LD10] with any allowed settings, each match gives finite numbers", () => {
    const chance = new Chance(20);
    const somebody = () =>
      player(
        chance.of([0, 10_000, chance.next() * 10_000, 1500 + chance.below(100)]),
        chance.of([30, 500, 30 + chance.below(470), 0.001, 5_000]),
        chance.of([0.01, 0.2, 0.06, 1e-6, 5]),
      );
    for (let match = 0; match < 20_000; match++) {
      const terms = { ...glicko2, tau: chance.of([0.2, 0.5, 1.2]), floor: chance.of([0, 100, 9_000]) };
      const both = [somebody(), somebody()] as const;
      const rerating = rateGlicko2(terms, both, chance.of<Score>([0, 0.5, 1]));
      const found = [...rerating.change, ...rerating.deviation, ...rerating.volatility];
      assert.ok(found.every(Number.isFinite), JSON.stringify({ both, rerating }));
      assert.ok(
        [...rerating.deviation, ...rerating.volatility].every((value) => value > 0),
        JSON.stringify({ both, rerating }),
      );
    }
  });
});
