import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Replay } from "@openseat/client";
import { commandOf, endingOf, sightAt, stepAfter, stepWords } from "../../src/arena/replay/replaying.ts";
import { hasRoundLog, roundLog } from "../../src/arena/table/round-log.ts";
import { ended, sight, throwing, ticTacToe } from "./stage.ts";

describe("a replay", () => {
  const marked = { ...sight, cells: sight.cells.with(0, "X"), marked: [0] };
  const replay: Replay = {
    match: ended,
    game: ticTacToe,
    start: sight,
    moves: [{ label: "X", move: "a1", at: ended.startedAt, sight: marked }],
  };
  test("shows the table before and after each move, with words", () => {
    assert.deepEqual([sightAt(replay, 0), sightAt(replay, 1)], [sight, marked]);
    assert.equal(stepWords(replay, 0), "Before the first move");
    assert.equal(stepWords(replay, 1), "Ann (X) played row 1, column 1");
    assert.equal(endingOf(replay), "Ann wins. It took 5 moves and 1 minute.");
    assert.equal(endingOf({ ...replay, game: null }), "Ann wins. It took 1 minute.");
  });
  test("is controlled by keys, never past its ends", () => {
    const keys = ["Home", "ArrowLeft", "ArrowRight", "End"] as const;
    const go = (step: number) =>
      keys.map((key) => stepAfter(commandOf(key) as Parameters<typeof stepAfter>[0], step, 5));
    assert.deepEqual(go(0), [0, 0, 1, 5]);
    assert.deepEqual(go(5), [0, 4, 5, 5]);
    assert.equal(commandOf(" "), "play");
    assert.equal(commandOf("Tab"), undefined);
  });
});

describe("rounds of a game of choices", () => {
  test("list the choices, newest first", () => {
    const rounds = [
      { number: 2, chosen: ["paper", "paper"], winner: null },
      { number: 3, chosen: ["paper", "scissors"], winner: 1 },
    ];
    assert.deepEqual(roundLog({ notes: ["Round 3: scissors beats paper."], rounds }, ["A", "B"]), [
      { number: 3, chosen: ["paper", "scissors"], winner: "B", note: "" },
      { number: 2, chosen: ["paper", "paper"], winner: undefined, note: "" },
    ]);
  });
  test("a game without rounds shows its notes", () => {
    assert.deepEqual(roundLog({ notes: ["Check.", "Mate."] }, ["A", "B"]), [
      { number: 2, chosen: [], winner: undefined, note: "Mate." },
      { number: 1, chosen: [], winner: undefined, note: "Check." },
    ]);
  });
  test("a game with a board shows its score and notes too, or nothing if it has neither", () => {
    const board = { choices: [] };
    assert.equal(hasRoundLog(board, { notes: [], score: [] }), false);
    assert.equal(hasRoundLog(board, { notes: ["Check."], score: [] }), true);
    assert.equal(hasRoundLog(board, { notes: [], score: [2, 2] }), true);
    assert.equal(hasRoundLog(throwing, { notes: [], score: [] }), true);
  });
});
