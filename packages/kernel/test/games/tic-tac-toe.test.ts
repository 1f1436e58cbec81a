import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Chance } from "../../src/match/chance.ts";
import type { AnyGame, SeatNumber } from "../../src/match/game.ts";
import { ticTacToe } from "../../src/match/games/tic-tac-toe.ts";
import { beginnings, begunBy, playAll } from "./staged.ts";

const game: AnyGame = ticTacToe;

/** A magic square: three cells are in a line exactly when their numbers add up to 15. */
const magic = [2, 7, 6, 9, 5, 1, 4, 3, 8];
const triples = magic.flatMap((_, a) =>
  magic.slice(a + 1).flatMap((_, b) => magic.slice(a + b + 2).map((_, c) => [a, a + b + 1, a + b + c + 2])),
);
/** All eight lines. */
const lines = triples.filter((triple) => triple.reduce((sum, cell) => sum + magic[cell], 0) === 15);

function winnerOf(labels: readonly (string | null)[]): SeatNumber | undefined {
  const hasWon = (label: string) => lines.some((line) => line.every((cell) => labels[cell] === label));
  const winners = [0, 1].filter((seat) => hasWon(game.seats[seat]));
  assert.ok(winners.length < 2, "both have won");
  return winners[0];
}

describe("tic-tac-toe", () => {
  test("a full board without a line is a draw", () => {
    const match = playAll(begunBy(0, game), ["a1", "b2", "c3", "b1", "b3", "a3", "c1", "c2", "a2"]);
    assert.deepEqual(match.outcome, { winner: null });
    assert.deepEqual(match.sight(0).cells, ["X", "O", "X", "X", "O", "O", "O", "X", "X"]);
  });

  test("the ninth mark can still win", () => {
    const match = playAll(begunBy(0, game), ["a1", "b1", "c1", "a2", "b2", "c2", "b3", "a3", "c3"]);
    assert.deepEqual(match.outcome, { winner: 0 });
  });

  test("labels take turns, a taken cell cannot be played, and the last move is marked", () => {
    const match = begunBy(1, game);
    assert.deepEqual(match.sight(undefined).marked, []);
    playAll(match, ["b2"]);
    assert.deepEqual(match.toMove, [0]);
    assert.deepEqual(match.legal(0), ["a1", "b1", "c1", "a2", "c2", "a3", "b3", "c3"]);
    assert.deepEqual(match.sight(undefined).cells, [null, null, null, null, "O", null, null, null, null]);
    playAll(match, ["c1"]);
    assert.deepEqual(match.toMove, [1]);
    assert.deepEqual(match.sight(undefined).marked, [2]);
  });

  test("cells are named by row and column, as they are laid out", () => {
    assert.deepEqual(game.table.cells[0], { name: "row 1, column 1", move: "a1" });
    assert.deepEqual(game.table.cells[5], { name: "row 2, column 3", move: "c2" });
  });

  test("either label begins about as often", () => {
    const often = beginnings(game);
    assert.ok(often > 400 && often < 600, `X begins ${often} of 1,000`);
  });

  test("all the 255,168 ways that a match can go end as they are known to", () => {
    const known = new Map<string, readonly number[]>();
    /**
     * From this state on, the number of ways in which the first player wins, the second wins, and the match is a draw.
     */
    const waysFrom = (state: unknown, first: SeatNumber): readonly number[] => {
      const labels = game.view(state, undefined).cells;
      const outcome = game.outcome(state);
      const winner = winnerOf(labels);
      const isOver = winner !== undefined || !labels.includes(null);
      assert.deepEqual(outcome, isOver ? { winner: winner ?? null } : undefined);
      if (winner !== undefined) {
        const { marked } = game.view(state, undefined);
        assert.ok(
          lines.some((line) => line.every((cell) => marked.includes(cell))),
          "the line is marked",
        );
      }
      if (isOver) return winner === undefined ? [0, 0, 1] : winner === first ? [1, 0, 0] : [0, 1, 0];
      const key = labels.join();
      const sum = known.get(key) ?? sumFrom(state, first);
      known.set(key, sum);
      return sum;
    };
    const sumFrom = (state: unknown, first: SeatNumber) => {
      const [seat] = game.toMove(state);
      const nexts = game.moves(state, seat).map((move) => waysFrom(game.play(state, seat, move), first));
      return [0, 1, 2].map((end) => nexts.reduce((sum, ways) => sum + ways[end], 0));
    };
    for (const seed of [0, 1, 2, 3]) {
      known.clear();
      const start = game.setup(new Chance(seed), {});
      assert.deepEqual(waysFrom(start, game.toMove(start)[0]), [131_184, 77_904, 46_080]);
    }
  });
});
