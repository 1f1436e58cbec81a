import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { MatchNumber } from "@openseat/kernel";
import { Chance } from "../queue-stage.ts";
import { about, LadderStage, only, type StageTerms } from "./stage.ts";

const players = 50;
const matches = 10_500;
const later = 10_000;

const kinds: Readonly<Record<string, StageTerms>> = {
  Elo: {},
  "Elo with steps of K, near the floor": {
    k: [
      { from: 0, k: 60 },
      { from: 19, k: 40 },
      { from: 300, k: 20 },
    ],
    floor: 950,
  },
  "Glicko-2": { system: "glicko2" },
};

const names = Array.from({ length: players }, (_, index) => `p${index}`);

/** The same results in every run. Players with small numbers are stronger. */
const played = (() => {
  const chance = new Chance(10_500);
  return Array.from({ length: matches }, () => {
    const first = chance.below(players);
    const second = (first + 1 + chance.below(players - 1)) % players;
    const scores = [chance.below(players + 50 - first), chance.below(players + 50 - second)];
    return `p${first} ${scores.join(":")} p${second}`;
  });
})();

function ladderOf(terms: StageTerms, texts: readonly string[]): LadderStage {
  const stage = new LadderStage(terms).enrol(...names);
  stage.keepsLog = false;
  return stage.play(...texts);
}

/** Everything about the players is equal, except how often it changed and the number of turns. */
function assertSameRatings(stage: LadderStage, other: LadderStage): void {
  for (const name of names) {
    const { version: _, lastTurn: __, ...own } = stage.of(name);
    const { version: ___, lastTurn: ____, ...others } = other.of(name);
    assert.deepEqual(own, others);
  }
  assert.deepEqual(stage.table, other.table);
}

describe(`voiding a match with ${later} later ones among ${players} players`, () => {
  for (const [kind, terms] of Object.entries(kinds)) {
    test(`[LD8] the result is the same as without the match: ${kind}`, (t) => {
      const number = matches - later;
      const stage = ladderOf(terms, played);
      const never = ladderOf(terms, played.toSpliced(number - 1, 1));
      const start = performance.now();
      const [voided] = only(stage.do(about("void", number, "@op")), "voided");
      t.diagnostic(`decided and done in ${Math.round(performance.now() - start)} ms`);
      t.diagnostic(`${JSON.stringify(voided).length} bytes, ${voided.recount!.turns.length} matches`);
      assertSameRatings(stage, never);
      for (let index = number; index < matches; index++) {
        const { match, ...now } = stage.ladder.counted.get(index);
        const { match: otherMatch, ...expected } = never.ladder.counted.get(index - 1);
        assert.equal(match, otherMatch + 1);
        assert.deepEqual(now, expected);
      }
      assert.equal(stage.ladder.counting, matches - 1);
      assert.equal(stage.status(number), "voided");
      // The entry contains the results, so replaying the log computes nothing.
      const last = new Map(voided.recount!.players.map((player, at) => [player, at]));
      const { before, change } = voided.recount!;
      for (const [player, at] of last)
        assert.equal(stage.ladder.players.ratingOf(player), before[at] + change[at]);
    });

    test(`[LD8] voiding many in random order: ${kind}`, () => {
      const chance = new Chance(8);
      const some = played.slice(0, 1_000);
      const stage = ladderOf(terms, some);
      const gone = new Set(Array.from({ length: 200 }, () => 1 + chance.below(some.length)));
      stage.void(...gone);
      assertSameRatings(
        stage,
        ladderOf(
          terms,
          some.filter((_, index) => !gone.has(index + 1)),
        ),
      );
      for (const match of gone) assert.equal(stage.ladder.statuses.get(match as MatchNumber), "voided");
    });
  }
});
