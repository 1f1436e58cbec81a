import type { Game, Outcome, SeatNumber } from "../game.ts";

interface Board {
  /** By cell, row by row from the top: the seat whose disc is in it. */
  readonly discs: readonly (SeatNumber | null)[];
  readonly turn: SeatNumber;
  readonly last: number | null;
}

const columns = ["a", "b", "c", "d", "e", "f", "g"] as const;
type Column = (typeof columns)[number];
const width = columns.length;
const height = 6;
const cells = Array.from({ length: width * height }, (_, index) => index);

const columnOf = (cell: number) => cell % width;
const rowOf = (cell: number) => Math.floor(cell / width);

/** Along a row, down a column, and along both diagonals. */
const directions = [
  { across: 1, down: 0 },
  { across: 0, down: 1 },
  { across: 1, down: 1 },
  { across: 1, down: -1 },
];

/** Consecutive cells from a cell in one direction that have a disc of the same seat. */
function run(discs: Board["discs"], cell: number, across: number, down: number): number[] {
  const found: number[] = [];
  let column = columnOf(cell) + across;
  let row = rowOf(cell) + down;
  while (column >= 0 && column < width && discs[row * width + column] === discs[cell]) {
    found.push(row * width + column);
    column += across;
    row += down;
  }
  return found;
}

/** Only the last disc can have completed a line. */
function winningLine({ discs, last }: Board): readonly number[] | undefined {
  if (last === null) return undefined;
  return directions
    .map(({ across, down }) => [last, ...run(discs, last, across, down), ...run(discs, last, -across, -down)])
    .find((line) => line.length >= 4);
}

function outcome(board: Board): Outcome | undefined {
  const line = winningLine(board);
  if (line !== undefined) return { winner: board.discs[line[0]] };
  return board.discs.includes(null) ? undefined : { winner: null };
}

export const connectFour: Game<Board, Column> = {
  name: "connect-four",
  title: "Connect four",
  summary: "Drop a disc into a column. Four of yours in a row, across, down or diagonally, win.",
  seats: ["Red", "Yellow"],
  table: {
    columns: width,
    // A disc falls, so all cells of a column are the same move.
    cells: cells.map((cell) => ({
      name: `row ${rowOf(cell) + 1}, column ${columnOf(cell) + 1}`,
      move: columns[columnOf(cell)],
    })),
    choices: [],
  },
  // At random: the winner keeps the label, so otherwise Red would begin every match of a winning streak.
  setup: (chance) => ({ discs: cells.map(() => null), turn: chance.below(2), last: null }),
  toMove: (board) => (outcome(board) === undefined ? [board.turn] : []),
  moves: (board) => columns.filter((_, column) => board.discs[column] === null),
  play(board, seat, move) {
    const cell = cells.findLast((each) => columns[columnOf(each)] === move && board.discs[each] === null)!;
    return { discs: board.discs.with(cell, seat), turn: 1 - seat, last: cell };
  },
  outcome,
  view: (board) => ({
    cells: board.discs.map((seat) => (seat === null ? null : connectFour.seats[seat])),
    marked: winningLine(board) ?? (board.last === null ? [] : [board.last]),
    score: [],
    notes: [],
    chosen: null,
  }),
};
