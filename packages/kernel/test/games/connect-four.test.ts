import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { AnyGame, SeatNumber } from "../../src/match/game.ts";
import { connectFour } from "../../src/match/games/connect-four.ts";
import { type Play, playOut, scripts } from "./checks.ts";
import { beginnings, begunBy, playAll } from "./staged.ts";

const game: AnyGame = connectFour;
const columns = "abcdefg";

/** The board as seven stacks of letters, from the bottom, computed from the moves alone. */
function stacksOf(plays: readonly Play[]): readonly string[] {
  const stacks = Array(7).fill("");
  for (const { seat, move } of plays) stacks[columns.indexOf(move)] += "RY"[seat];
  return stacks;
}

/** The winner, found by searching every row, column and diagonal for four equal letters. */
function winnerOf(stacks: readonly string[]): SeatNumber | undefined {
  const at = (column: number, row: number) => stacks[column]?.[row] ?? ".";
  const seven = [0, 1, 2, 3, 4, 5, 6];
  const readings = [
    ...stacks,
    ...seven.map((row) => seven.map((column) => at(column, row)).join("")),
    ...[-6, -5, -4, -3, -2, -1, ...seven].map((slant) => seven.map((c) => at(c, c + slant)).join("")),
    ...[...seven, 7, 8, 9, 10, 11, 12].map((slant) => seven.map((c) => at(c, slant - c)).join("")),
  ];
  const seat = ["RRRR", "YYYY"].findIndex((four) => readings.some((reading) => reading.includes(four)));
  return seat === -1 ? undefined : seat;
}

/** Indexes of cells in the table, which starts at the top, for names that count rows from the bottom: `a1 b1`. */
function cellsAt(spots: string): readonly number[] {
  return spots.split(" ").map(([column, row]) => (6 - Number(row)) * 7 + columns.indexOf(column));
}

describe("connect four", () => {
  test("the line that has won is marked, along a row, a column and both diagonals, and all of a longer one", () => {
    const markedAfter = (moves: string) => {
      const match = playAll(begunBy(0, game), [...moves]);
      assert.deepEqual(match.outcome, { winner: 0 });
      return match.sight(0).marked.toSorted((a, b) => a - b);
    };
    assert.deepEqual(markedAfter("aabbccd"), cellsAt("a1 b1 c1 d1"));
    assert.deepEqual(markedAfter("gagagag"), cellsAt("g4 g3 g2 g1"));
    assert.deepEqual(markedAfter("abbcdccdgdd"), cellsAt("d4 c3 b2 a1"));
    assert.deepEqual(markedAfter("gffedeedadd"), cellsAt("d4 e3 f2 g1"));
    assert.deepEqual(markedAfter("aabbcceeffggd"), cellsAt("a1 b1 c1 d1 e1 f1 g1"));
  });

  test("a line does not go on around the edge", () => {
    const match = playAll(begunBy(0, game), [..."afbgfdg"]);
    assert.equal(match.outcome, undefined);
    const [red] = game.seats;
    for (const cell of cellsAt("f2 g2 a1 b1")) assert.equal(match.sight(undefined).cells[cell], red);
  });

  test("a full board without a line is a draw, and the 42nd disc can still win", () => {
    const draw = playAll(begunBy(0, game), [..."bebcgbfegadgaeabdbagggddffeffeefdcbadacccc"]);
    assert.deepEqual(draw.outcome, { winner: null });
    assert.deepEqual(draw.toMove, []);
    const late = playAll(begunBy(0, game), [..."caaaadeegdffaedfcafbdeffggebccbcedgdggbbbc"]);
    assert.equal(late.moves.length, 42);
    assert.deepEqual(late.outcome, { winner: 1 });
  });

  test("discs fall onto each other, labels take turns, and a full column cannot be played", () => {
    const match = begunBy(1, game);
    assert.deepEqual(match.legal(1), [...columns]);
    playAll(match, ["d", "d"]);
    const { cells, marked } = match.sight(undefined);
    assert.deepEqual(cells.filter((label) => label !== null).length, 2);
    assert.deepEqual(
      cellsAt("d2 d1").map((cell) => cells[cell]),
      ["Red", "Yellow"],
    );
    assert.deepEqual(marked, cellsAt("d2"));
    playAll(match, ["d", "d", "d", "d"]);
    assert.deepEqual(match.toMove, [1]);
    assert.deepEqual(match.legal(1), [..."abcefg"]);
    assert.equal(match.obstacleTo(1, "d")?.code, "move.impossible");
  });

  test("every cell of a column is the same move, and has a name of its own", () => {
    const { cells } = game.table;
    assert.deepEqual(cells[0], { name: "row 1, column 1", move: "a" });
    assert.deepEqual(cells[41], { name: "row 6, column 7", move: "g" });
    for (const [index, { move }] of cells.entries()) assert.equal(move, columns[index % 7]);
  });

  test("either label begins about as often", () => {
    const often = beginnings(game);
    assert.ok(often > 400 && often < 600, `Red begins ${often} of 1,000`);
  });

  test("outcomes are those of an oracle that reads the board as words", () => {
    fc.assert(
      fc.property(scripts(game), (script) => {
        const { plays, states } = playOut(game, script);
        for (const [count, state] of states.entries()) {
          const winner = winnerOf(stacksOf(plays.slice(0, count)));
          const isOver = winner !== undefined || count === 42;
          assert.deepEqual(game.outcome(state), isOver ? { winner: winner ?? null } : undefined);
        }
      }),
      { numRuns: 300 },
    );
  });
});
