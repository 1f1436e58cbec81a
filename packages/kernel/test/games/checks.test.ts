import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AnyGame, Sight } from "../../src/match/game.ts";
import { rockPaperScissors } from "../../src/match/games/rock-paper-scissors.ts";
import { ticTacToe } from "../../src/match/games/tic-tac-toe.ts";
import {
  checkEnd,
  checkMoves,
  checkSameAgain,
  checkSecrets,
  checkViews,
  checkWords,
  type Script,
  usualOptions,
} from "./checks.ts";

/** Each of these games has one flaw, which a check must find. */
const board: AnyGame = ticTacToe;
const secret: AnyGame = rockPaperScissors;

type Check = (game: AnyGame, script: Script) => void;

function assertFound(check: Check, sound: AnyGame, flaw: Partial<AnyGame>, reason: RegExp): void {
  const script = { seed: 7, options: usualOptions(sound), whim: 11 };
  check(sound, script);
  assert.throws(() => check({ ...sound, ...flaw }, script), reason);
}

describe("flaws that the checks find in a game", () => {
  test("words that the wire does not take", () => {
    const { table } = board;
    assertFound(checkWords, board, { name: "Tic Tac Toe" }, /did not match/);
    assertFound(checkWords, board, { seats: ["X"] }, /2 to 16 play/);
    assertFound(checkWords, board, { seats: ["X", "X"] }, /one label/);
    assertFound(checkWords, board, { seats: ["X", "a nought"] }, /did not match/);
    assertFound(checkWords, board, { table: { ...table, columns: 4 } }, /not full/);
    const named = table.cells.map(({ move }) => ({ name: "cell", move }));
    assertFound(checkWords, board, { table: { ...table, cells: named } }, /same name/);
    const choices = [{ move: "no spaces", name: "Pass", symbol: "-" }];
    assertFound(checkWords, board, { table: { ...table, choices } }, /did not match/);
    const options = { "how-many": { usual: 1, least: 1, most: 2, means: "How many." } };
    assertFound(checkWords, board, { options }, /did not match/);
    assertFound(checkWords, board, { options: { n: { ...options["how-many"], usual: 3 } } }, /bounds/);
  });

  test("a match without an end, a turn after it, a winner who does not play", () => {
    const endless: Partial<AnyGame> = { play: (state) => state, outcome: () => undefined };
    assertFound(checkEnd, board, endless, /goes on/);
    assertFound(checkEnd, board, { outcome: () => undefined }, /after move/);
    const strange: Partial<AnyGame> = {
      outcome: (state) => (board.outcome(state) === undefined ? undefined : { winner: 2 }),
    };
    assertFound(checkEnd, board, strange, /cannot win/);
  });

  test("moves that are not on the table, or offered twice", () => {
    const cells = board.table.cells.map(({ name }, index) => ({ name, move: `${index}` }));
    assertFound(checkMoves, board, { table: { ...board.table, cells } }, /not on the table/);
    const twice: Partial<AnyGame> = { moves: (state, seat) => [...board.moves(state, seat), "a1", "a1"] };
    assertFound(checkMoves, board, twice, /offered twice/);
  });

  test("a state that is changed, and chance or memory of its own", () => {
    const changing: Partial<AnyGame> = {
      play: (state, seat, move) => Object.assign(state, board.play(state, seat, move)),
    };
    assertFound(checkSameAgain, board, changing, /read only/);
    let matches = 0;
    const remembering: Partial<AnyGame> = {
      setup: (chance, options) => ({ ...board.setup(chance, options), number: ++matches }),
    };
    assertFound(checkSameAgain, board, remembering, /deep-equal/);
    const lossy: Partial<AnyGame> = {
      setup: (chance, options) => ({ ...board.setup(chance, options), seen: new Map([[1, 2]]) }),
      play: (state, seat, move) => ({ ...board.play(state, seat, move), seen: state.seen }),
    };
    assertFound(checkSameAgain, board, lossy, /survive being JSON/);
  });

  test("views that do not fit the table, are too large, or change on the way", () => {
    const seeing = (change: Partial<Record<keyof Sight, unknown>>): Partial<AnyGame> => ({
      view: (state, viewer) => ({ ...board.view(state, viewer), ...change }) as Sight,
    });
    assertFound(checkViews, board, seeing({ cells: [] }), /strictly equal/);
    assertFound(checkViews, board, seeing({ marked: [9] }), /no cell/);
    assertFound(checkViews, board, seeing({ score: [1] }), /one score per seat/);
    assertFound(checkViews, board, seeing({ notes: ["long".repeat(1_024)] }), /too large/);
    assertFound(checkViews, board, seeing({ chosen: "a1" }), /chosen nothing/);
    assertFound(checkViews, board, seeing({ chosen: undefined }), /survive being JSON/);
  });

  test("a secret that anyone else can see", () => {
    const leaks: readonly Partial<AnyGame>[] = [
      { view: (state) => secret.view(state, 0) },
      { view: (state, viewer) => ({ ...secret.view(state, viewer), notes: [`${state.thrown[1]}`] }) },
      { moves: (state) => (state.thrown[0] === "rock" ? ["rock"] : throwsInOrder(state.thrown[1])) },
    ];
    for (const leak of leaks) assertFound(checkSecrets, secret, leak, /can tell/);
  });
});

/** The order of the moves reveals the throw. */
function throwsInOrder(thrown: string | null): readonly string[] {
  return thrown === "paper" ? ["scissors", "paper", "rock"] : ["rock", "paper", "scissors"];
}
