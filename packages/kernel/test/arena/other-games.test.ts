import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type AnyGame, arenaDecider, arenaLimits, Match } from "@openseat/kernel";
import { ArenaStage, type StageTerms } from "./stage.ts";

/** A game of endless passes; `turns` returns the seats to move after a number of passes. */
const passing = (turns: (passes: number) => readonly number[]): AnyGame => ({
  name: "passing",
  title: "Passing",
  summary: "Nobody wins.",
  seats: ["X", "O"],
  table: { columns: 0, cells: [], choices: [{ move: "pass", name: "Pass", symbol: "-" }] },
  setup: () => 0,
  toMove: turns,
  moves: () => ["pass"],
  play: (passes) => passes + 1,
  outcome: () => undefined,
  view: () => ({ cells: [], marked: [], score: [], notes: [], chosen: null }),
});

/** An arena whose first match is of a game missing from the catalogue. */
function stageOf(game: AnyGame, terms: StageTerms = {}): ArenaStage {
  const stage = new ArenaStage({ game: "tic-tac-toe", ...terms }).join("ann", "bob", "cid");
  const play = new Match(game, { seed: 1, options: {}, moves: [] });
  stage.room.match = { ...stage.room.match!, play };
  return stage;
}

describe("games unlike those of the catalogue", () => {
  test("[AR4] an endless match is a draw after the maximum number of moves", () => {
    const stage = stageOf(passing((passes) => [passes % 2]));
    stage.keepsLog = false;
    const names = ["ann", "bob"];
    for (let passes = 0; passes < arenaLimits.matchMovesMax; passes++) {
      assert.equal(stage.room.match?.number, 1);
      stage.move(names[passes % 2], "pass");
    }
    const { winner, reason, moves } = stage.result;
    assert.deepEqual([winner, reason, moves], [null, "too-long", arenaLimits.matchMovesMax]);
    assert.equal(stage.scene, "X cid, O bob | ann");
    assert.equal(stage.room.match?.number, 2);
  });

  test("[AR9] a player who moves twice in a row has the full time for each move", () => {
    const stage = stageOf(
      passing((passes) => (passes < 2 ? [0] : [1])),
      { moveTimeoutMs: 5_000 },
    );
    stage.at(4_000).move("ann", "pass");
    assert.equal(arenaDecider.nextDue(stage.room), 9_000);
    stage.at(8_000).move("ann", "pass");
    assert.equal(arenaDecider.nextDue(stage.room), 13_000);
  });

  test("[AR9] in a shared round, one player's move does not restart the clock", () => {
    const stage = stageOf(
      passing((passes) => [[0, 1], [1], [0, 1]][Math.min(passes, 2)]),
      { moveTimeoutMs: 5_000 },
    );
    stage.at(4_000).move("ann", "pass");
    assert.equal(arenaDecider.nextDue(stage.room), 6_000);
    stage.at(5_000).move("bob", "pass");
    assert.equal(arenaDecider.nextDue(stage.room), 10_000);
  });
});
