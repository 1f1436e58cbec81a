import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type PlayerNumber, type StandingsCursor, standingsAfter } from "@openseat/kernel";
import { Chance } from "../queue-stage.ts";
import { enrol, LadderStage, leave, report } from "./stage.ts";

function ladderOf(ratings: Readonly<Record<string, number>>): LadderStage {
  const stage = new LadderStage();
  stage.keepsLog = false;
  for (const [name, rating] of Object.entries(ratings)) stage.do(enrol(name, "@op", rating));
  return stage;
}

describe("standings", () => {
  test("[LD7] are by rating; equals share a rank, and the following ranks are skipped", () => {
    const stage = ladderOf({ ann: 1200, bob: 1500, cid: 1200, dan: 900, eve: 1200, fay: 900 });
    assert.deepEqual(stage.table, ["1 bob", "2 ann", "2 cid", "2 eve", "5 dan", "5 fay"]);
    for (const name of ["ann", "bob", "cid", "dan", "eve", "fay"])
      assert.ok(stage.table.includes(`${stage.of(name).rank} ${name}`));
  });

  test("[LD7] among equals, the first to enrol comes first, even after leaving and coming back", () => {
    const stage = ladderOf({ ann: 1000, bob: 1000, cid: 1000 });
    stage.do(leave("ann"));
    assert.deepEqual(stage.table, ["1 bob", "1 cid"]);
    stage.do(enrol("ann"));
    assert.deepEqual(stage.table, ["1 ann", "1 bob", "1 cid"]);
  });

  test("[LD7] a rank is right on a page that begins among equals", () => {
    const stage = ladderOf({ ann: 1500, bob: 1000, cid: 1000, dan: 1000, eve: 900 });
    const cursor = { rating: 1000, player: stage.numberOf("bob") };
    const page = standingsAfter(stage.ladder, cursor, 10).map(({ rank, person }) => `${rank} ${person}`);
    assert.deepEqual(page, ["2 cid", "2 dan", "5 eve"]);
  });

  test("[LD7] players are found by place; players who left have none", () => {
    const stage = ladderOf({ ann: 1200, bob: 1500, cid: 1200, dan: 900 });
    stage.do(leave("bob"));
    const places = [0, 1, 2, 3, 4, 5].map((place) => stage.ladder.standings.at(place));
    const [ann, cid, dan] = ["ann", "cid", "dan"].map((name) => stage.numberOf(name));
    assert.deepEqual(places, [undefined, ann, cid, dan, undefined, undefined]);
  });

  test("[LD11] a cursor stays valid when its player has left or moved", () => {
    const stage = ladderOf({ ann: 1500, bob: 1400, cid: 1300, dan: 1200 });
    const cursor = { rating: 1400, player: stage.numberOf("bob") };
    const next = () => standingsAfter(stage.ladder, cursor, 2).map(({ person }) => person as string);
    assert.deepEqual(next(), ["cid", "dan"]);
    stage.do(leave("bob"));
    assert.deepEqual(next(), ["cid", "dan"]);
    stage.do(enrol("bob"));
    stage.play("bob 0:1 ann", "ann 1:0 bob");
    assert.deepEqual(next(), ["bob", "cid"]);
    assert.deepEqual(standingsAfter(stage.ladder, { rating: 0, player: 1 as PlayerNumber }, 5), []);
  });

  test("[LD11] while others rise and fall, each staying player is on exactly one page", () => {
    const chance = new Chance(77);
    const stage = new LadderStage();
    stage.keepsLog = false;
    // Many share a rating, including those who play.
    for (let player = 0; player < 400; player++)
      stage.do(enrol(`p${player}`, "@op", 1000 + 10 * chance.below(20)));
    const restless = (index: number) => index % 4 === 0;
    const someone = () => `p${4 * chance.below(100)}`;
    for (let walk = 0; walk < 20; walk++) {
      const seen: string[] = [];
      let cursor: StandingsCursor | undefined;
      for (;;) {
        const page = standingsAfter(stage.ladder, cursor, 7);
        seen.push(...page.map(({ person }) => person));
        const last = page.at(-1);
        if (!last) break;
        cursor = { rating: last.rating, player: last.number };
        const [first, second] = [someone(), someone()];
        if (first !== second) stage.do(report(`${first} 1:0 ${second}`, "@op"));
        const away = someone();
        if (chance.percent(20)) {
          stage.do(leave(away));
          stage.do(enrol(away));
        }
      }
      const still = seen.filter((name) => !restless(Number(name.slice(1))));
      assert.equal(still.length, 300);
      assert.equal(new Set(still).size, 300);
    }
  });

  test("[LD7] in a large ladder, a rank is found with few comparisons", () => {
    const stage = new LadderStage();
    stage.keepsLog = false;
    const chance = new Chance(5);
    const ratings = Array.from({ length: 20_000 }, () => 100 + chance.below(3_000));
    for (const [index, rating] of ratings.entries()) stage.do(enrol(`p${index}`, "@op", rating));
    const { players, standings } = stage.ladder;
    const found = players.ratingOf.bind(players);
    let asked = 0;
    players.ratingOf = (player) => {
      asked++;
      return found(player);
    };
    for (const index of [0, 1, 500, 17_777, 19_999]) {
      asked = 0;
      const rank = standings.rankOf((index + 1) as PlayerNumber);
      assert.ok(asked <= 40, `${asked} ratings`);
      assert.equal(rank, 1 + ratings.filter((rating) => rating > ratings[index]).length);
    }
  });
});
