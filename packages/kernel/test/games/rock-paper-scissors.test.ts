import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AnyGame } from "../../src/match/game.ts";
import { rockPaperScissors } from "../../src/match/games/rock-paper-scissors.ts";
import type { Match } from "../../src/match/match.ts";
import { newMatch } from "./staged.ts";

const game: AnyGame = rockPaperScissors;
const throws = ["rock", "paper", "scissors"];

const bestOf = (rounds: number) => newMatch(game, 0, { bestOf: rounds });

/** The rounds of a match: each letter is the winner's, and `=` is a tie. */
function playRounds(match: Match, results: string): Match {
  for (const result of results) {
    match.play(0, result === "A" ? "paper" : "rock");
    match.play(1, result === "B" ? "paper" : "rock");
  }
  return match;
}

describe("rock, paper, scissors", () => {
  const expected: Readonly<Record<string, number | undefined>> = {
    "rock rock": undefined,
    "rock paper": 1,
    "rock scissors": 0,
    "paper rock": 0,
    "paper paper": undefined,
    "paper scissors": 1,
    "scissors rock": 1,
    "scissors paper": 0,
    "scissors scissors": undefined,
  };

  test("each of the nine pairs has the known result, in either order", () => {
    for (const [pair, winner] of Object.entries(expected))
      for (const order of [
        [0, 1],
        [1, 0],
      ]) {
        const match = bestOf(1);
        for (const seat of order) match.play(seat, pair.split(" ")[seat]);
        assert.deepEqual(match.outcome, winner === undefined ? undefined : { winner }, pair);
        assert.deepEqual(
          match.sight(undefined).score,
          [0, 1].map((seat) => (seat === winner ? 1 : 0)),
        );
      }
  });

  test("both players may throw at once, and the first to throw waits for the other", () => {
    const match = bestOf(3);
    assert.deepEqual(match.toMove, [0, 1]);
    assert.deepEqual(match.legal(0), throws);
    match.play(1, "paper");
    assert.deepEqual(match.toMove, [0]);
    assert.equal(match.obstacleTo(1, "rock")?.code, "move.out-of-turn");
    match.play(0, "scissors");
    assert.deepEqual(match.toMove, [0, 1]);
  });

  test("[MT3] a throw is seen by who has thrown it and by nobody else, until both are in", () => {
    for (const thrown of throws) {
      const match = bestOf(3);
      const before = JSON.stringify(match.sight(undefined));
      match.play(0, thrown);
      assert.equal(match.sight(0).chosen, thrown);
      for (const viewer of [1, undefined]) assert.equal(JSON.stringify(match.sight(viewer)), before);
      match.play(1, "rock");
      for (const viewer of [0, 1, undefined]) {
        assert.equal(match.sight(viewer).chosen, null);
        assert.match(match.sight(viewer).notes[0], new RegExp(thrown));
      }
    }
  });

  test("best of n: more than half of the rounds that count win, for every n there is", () => {
    const { least, most } = game.options!.bestOf;
    assert.deepEqual([least, most], [1, 15]);
    for (let rounds = least; rounds <= most; rounds++) {
      const enough = Math.floor(rounds / 2) + 1;
      const match = playRounds(bestOf(rounds), "B".repeat(enough - 1));
      assert.equal(match.outcome, undefined, `best of ${rounds}`);
      assert.deepEqual(playRounds(match, "B").outcome, { winner: 1 });
      assert.deepEqual(match.sight(undefined).score, [0, enough]);
      assert.deepEqual(match.toMove, []);
    }
  });

  test("best of an even number can end level, and then it is a draw", () => {
    assert.deepEqual(playRounds(bestOf(2), "AB").outcome, { winner: null });
    assert.equal(playRounds(bestOf(4), "AAB").outcome, undefined);
    assert.deepEqual(playRounds(bestOf(4), "AABB").outcome, { winner: null });
    assert.deepEqual(playRounds(bestOf(4), "ABAA").outcome, { winner: 0 });
  });

  test("the usual match is the best of three", () => {
    assert.equal(playRounds(newMatch(game), "A=B=").outcome, undefined);
    assert.deepEqual(playRounds(newMatch(game), "A=B=A").outcome, { winner: 0 });
  });

  test("a tie counts for nobody and is played again, but no match has more than 50 rounds", () => {
    const tied = playRounds(bestOf(1), "=".repeat(49));
    assert.equal(tied.outcome, undefined);
    assert.deepEqual(playRounds(tied, "=").outcome, { winner: null });
    const won = playRounds(bestOf(1), `${"=".repeat(49)}B`);
    assert.deepEqual(won.outcome, { winner: 1 });
    const ahead = playRounds(bestOf(15), `A${"=".repeat(49)}`);
    assert.deepEqual(ahead.outcome, { winner: 0 });
    assert.deepEqual(ahead.toMove, []);
  });

  test("notes tell of the last ten rounds, the newest last", () => {
    const match = playRounds(bestOf(3), "A=");
    assert.deepEqual(match.sight(undefined).notes, [
      "Round 1: paper beats rock, A wins.",
      "Round 2: both throw rock, nobody wins.",
    ]);
    playRounds(match, "=========B");
    const { notes } = match.sight(undefined);
    assert.equal(notes.length, 10);
    assert.match(notes[0], /^Round 3: /);
    assert.equal(notes[9], "Round 12: paper beats rock, B wins.");
  });
});
