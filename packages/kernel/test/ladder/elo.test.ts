import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { expectedScore, rateElo } from "../../src/ladder/ratings/elo.ts";
import type { Contender, RatingTerms, Score } from "../../src/ladder/ratings/rating.ts";
import type { Both } from "../../src/values.ts";
import { Chance } from "../queue-stage.ts";
import { elo, LadderStage, only, report } from "./stage.ts";

const player = (rating: number, games = 0): Contender => ({ rating, deviation: 0, volatility: 0, games });

const change = (terms: Partial<RatingTerms>, both: Both<Contender>, score: Score) =>
  rateElo({ ...elo, ...terms }, both, score).change;

/** 40 for the first 2 matches, 20 up to the 5th, then 10. */
const steps = [
  { from: 0, k: 40 },
  { from: 2, k: 20 },
  { from: 5, k: 10 },
];

/** The rating after several matches rated together, as federations rate a tournament. */
function eloAfterEvent(
  rating: number,
  k: number,
  matches: readonly { readonly opponent: number; readonly score: Score }[],
): number {
  let surplus = 0;
  for (const { opponent, score } of matches) surplus += score - expectedScore("logistic", rating - opponent);
  return rating + k * surplus;
}

describe("Elo", () => {
  test("[LD10] gives the worked example: 1613 with K 32 after five matches has 1601", () => {
    const matches = [
      { opponent: 1609, score: 0 },
      { opponent: 1477, score: 0.5 },
      { opponent: 1388, score: 1 },
      { opponent: 1586, score: 1 },
      { opponent: 1720, score: 0 },
    ] as const;
    assert.equal(Math.round(eloAfterEvent(1613, 32, matches)), 1601);
  });

  test("[LD3][LD10] 400 points are odds of ten to one", () => {
    assert.equal(expectedScore("logistic", 0), 0.5);
    assert.ok(Math.abs(expectedScore("logistic", 400) - 10 / 11) < 1e-15);
    assert.ok(Math.abs(expectedScore("logistic", -400) - 1 / 11) < 1e-15);
  });

  test("[LD3] starts at 1000 with K 32: between new players, a win is +16 and a loss -16", () => {
    const stage = new LadderStage().enrol("ann", "bob").play("ann 3:1 bob");
    assert.equal(stage.rating("ann"), 1016);
    assert.equal(stage.rating("bob"), 984);
  });

  test("[LD3] both the start and K can be others", () => {
    const stage = new LadderStage({ start: 1500, k: [{ from: 0, k: 20 }] }).enrol("ann", "bob");
    stage.play("bob 1:0 ann");
    assert.equal(stage.rating("ann"), 1490);
    assert.equal(stage.rating("bob"), 1510);
  });

  test("[LD3] only the winner matters, not the scores", () => {
    const [close, clear] = ["ann 10:9 bob", "ann 1000:0 bob"].map((text) =>
      new LadderStage().enrol("ann", "bob").play(text).rating("ann"),
    );
    assert.equal(close, clear);
  });

  test("[LD3] a draw is half a point: the higher rated player loses rating", () => {
    const [first, second] = change({}, [player(1200), player(1000)], 0.5);
    assert.equal(first, 32 * (0.5 - expectedScore("logistic", 200)));
    assert.equal(second, -first);
    assert.ok(first < 0);
  });

  test("[LD3] a draw between equals changes nothing, and no zero has a sign that JSON would drop", () => {
    assert.deepEqual(change({}, [player(1000), player(1000)], 0.5), [0, 0]);
    assert.deepEqual(change({ k: steps }, [player(1000), player(1000, 3)], 0.5), [0, 0]);
  });

  test("[LD3] by FIDE's table the change follows from the table", () => {
    const [first] = change({ curve: "fide" }, [player(1200), player(1000)], 1);
    assert.equal(first, 32 * (1 - 0.76));
  });
});

describe("K by games played", () => {
  test("[LD3] is that of the last step that a player has reached", () => {
    const winOf = (games: number) => change({ k: steps }, [player(1000, games), player(1000, games)], 1)[0];
    assert.deepEqual([0, 1, 2, 4, 5, 500].map(winOf), [20, 20, 10, 10, 5, 5]);
  });

  test("[LD3] is each player's own: with different K neither gets what the other loses", () => {
    assert.deepEqual(change({ k: steps }, [player(1000, 0), player(1000, 9)], 1), [20, -5]);
    assert.deepEqual(change({ k: steps }, [player(1000, 9), player(1000, 0)], 1), [5, -20]);
  });

  test("[LD3] goes down match by match on a ladder, for the draws as for the others", () => {
    const stage = new LadderStage({ k: steps }).enrol("ann", "bob");
    const kOf = (text: string) => {
      const [counted] = only(stage.do(report(text, "@op")), "counted");
      const [own, other] = counted.before;
      return Math.round(counted.change[0] / (1 - expectedScore("logistic", own - other)));
    };
    assert.equal(kOf("ann 1:0 bob"), 40);
    stage.play("ann 1:1 bob");
    assert.equal(kOf("ann 1:0 bob"), 20);
    stage.play("ann 0:0 bob", "bob 1:0 ann");
    assert.equal(kOf("ann 1:0 bob"), 10);
  });
});

describe("the same K", () => {
  test("[LD3] the change is computed once, and subtracted from the other player exactly", () => {
    const chance = new Chance(3);
    for (let match = 0; match < 10_000; match++) {
      const both = [player(chance.next() * 3_000), player(chance.next() * 3_000)] as const;
      const floor = chance.of([0, 100, 1_400]);
      const [first, second] = change({ floor }, both, chance.of<Score>([0, 0.5, 1]));
      assert.equal(first + second, 0);
    }
  });
});

describe("the floor", () => {
  test("[LD3] ratings never fall below it", () => {
    assert.deepEqual(change({ floor: 990 }, [player(1000), player(1000)], 0), [-10, 10]);
    assert.deepEqual(change({ floor: 990 }, [player(1000), player(1000)], 1), [10, -10]);
    assert.deepEqual(change({ floor: 1000 }, [player(1000), player(1000)], 0), [0, 0]);
  });

  test("[LD3] with the same K, the winner gains only what the loser can lose", () => {
    const stage = new LadderStage({ floor: 990 }).enrol("ann", "bob", "cid");
    for (let time = 0; time < 20; time++) stage.play("ann 1:0 bob", "cid 0:1 ann", "bob 0:1 cid");
    const ratings = ["ann", "bob", "cid"].map((name) => stage.rating(name));
    assert.ok(Math.min(...ratings) >= 990);
    assert.equal(Math.round(1e9 * ratings.reduce((sum, rating) => sum + rating)), 3_000 * 1e9);
  });

  test("[LD3] with different K, the winner gets the full change", () => {
    assert.deepEqual(change({ floor: 998, k: steps }, [player(1000, 0), player(1000, 9)], 1), [20, -2]);
    assert.deepEqual(change({ floor: 998, k: steps }, [player(1000, 0), player(1000, 9)], 0), [-2, 5]);
  });

  test("[LD3] a player with a starting rating below it loses nothing, and can win", () => {
    for (const games of [0, 9]) {
      const both = [player(50), player(60, games)] as const;
      assert.equal(change({ floor: 100, k: steps }, both, 0)[0], 0);
      assert.ok(change({ floor: 100, k: steps }, [player(50), player(200, games)], 1)[0] > 0);
    }
  });

  test("[LD3] is reached exactly", () => {
    const chance = new Chance(11);
    for (let match = 0; match < 20_000; match++) {
      const floor = chance.of([0, 1, 3, 100, 1_023]);
      const someone = () => player(floor + chance.next() * 40, chance.of([0, 9]));
      const both = [someone(), someone()] as const;
      const k = [
        { from: 0, k: 200 },
        { from: 9, k: 100 },
      ];
      const [first, second] = change({ floor, k }, both, chance.of<Score>([0, 1]));
      const after = [both[0].rating + first, both[1].rating + second];
      assert.equal(Math.min(...after), floor, JSON.stringify({ both, after }));
    }
  });
});

describe("a provisional rating", () => {
  test("[LD3] lasts for a number of counted matches, and returns when one of them is voided", () => {
    const stage = new LadderStage({ provisionalGames: 2 }).enrol("ann", "bob");
    assert.equal(stage.of("ann").provisional, true);
    stage.play("ann 1:0 bob");
    assert.equal(stage.of("ann").provisional, true);
    stage.play("ann 1:0 bob");
    assert.equal(stage.of("ann").provisional, false);
    stage.void(1);
    assert.equal(stage.of("ann").provisional, true);
    assert.equal(new LadderStage({ provisionalGames: 0 }).enrol("ann").of("ann").provisional, false);
  });

  test("[LD10] with Glicko-2 lasts while the deviation is above its bound", () => {
    const stage = new LadderStage({ system: "glicko2", provisionalDeviation: 200 }).enrol("ann", "bob");
    let matches = 0;
    for (; stage.of("ann").provisional; matches++) stage.play("ann 1:1 bob");
    assert.ok(stage.of("ann").deviation <= 200);
    assert.ok(matches > 1);
    stage.void(1);
    assert.equal(stage.of("ann").provisional, stage.of("ann").deviation > 200);
    assert.equal(stage.of("ann").provisional, true);
  });
});
