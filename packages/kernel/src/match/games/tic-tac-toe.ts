import type { Game, Outcome, SeatNumber } from "../game.ts";

interface Board {
  /** By cell, row by row: the seat whose mark is on it. */
  readonly marks: readonly (SeatNumber | null)[];
  readonly turn: SeatNumber;
  readonly last: number | null;
}

const cells = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"] as const;
type Cell = (typeof cells)[number];

const lines = ["012", "345", "678", "036", "147", "258", "048", "246"].map((line) => [...line].map(Number));

function winningLine({ marks }: Board): readonly number[] | undefined {
  return lines.find(([a, b, c]) => marks[a] !== null && marks[a] === marks[b] && marks[a] === marks[c]);
}

function outcome(board: Board): Outcome | undefined {
  const line = winningLine(board);
  if (line !== undefined) return { winner: board.marks[line[0]] };
  return board.marks.includes(null) ? undefined : { winner: null };
}

export const ticTacToe: Game<Board, Cell> = {
  name: "tic-tac-toe",
  title: "Tic-tac-toe",
  summary: "Three of your marks in a row, across, down or diagonally, win.",
  seats: ["X", "O"],
  table: {
    columns: 3,
    cells: cells.map((move, index) => ({
      name: `row ${Math.floor(index / 3) + 1}, column ${(index % 3) + 1}`,
      move,
    })),
    choices: [],
  },
  // At random: the winner keeps the label, so otherwise X would begin every match of a winning streak.
  setup: (chance) => ({ marks: cells.map(() => null), turn: chance.below(2), last: null }),
  toMove: (board) => (outcome(board) === undefined ? [board.turn] : []),
  moves: (board) => cells.filter((_, index) => board.marks[index] === null),
  play(board, seat, move) {
    const cell = cells.indexOf(move);
    return { marks: board.marks.with(cell, seat), turn: 1 - seat, last: cell };
  },
  outcome,
  view: (board) => ({
    cells: board.marks.map((seat) => (seat === null ? null : ticTacToe.seats[seat])),
    marked: winningLine(board) ?? (board.last === null ? [] : [board.last]),
    score: [],
    notes: [],
    chosen: null,
  }),
};
