import { type AnyGame, gameNamed, Match } from "@openseat/kernel";

/** What a viewer may know about the table of a match, without its texts for people. */
export interface TableSight {
  readonly cells: readonly (string | null)[];
  readonly score: readonly number[];
  /** The revealed throws of each round, in alphabetical order. */
  readonly revealed: readonly string[];
  readonly chosen: string | null;
}

/** A match under the plain rules of its game. `play` returns a new table. */
export interface Table {
  /** The seats to move; empty when the match is over. */
  readonly toMove: readonly number[];
  /** Undefined during the match; null for a draw. */
  readonly winner: number | null | undefined;
  /** Whether the table holds a move that is still hidden from the others. */
  readonly hasSecret: boolean;
  exists(move: string): boolean;
  legal(seat: number): readonly string[];
  play(seat: number, move: string): Table;
  sight(viewer: number | undefined): TableSight;
}

interface Grid {
  readonly labels: readonly string[];
  readonly width: number;
  readonly height: number;
  readonly inRow: number;
  readonly moves: readonly string[];
  /** The cell where a move lands; -1 if there is none. */
  cellFor(cells: readonly (number | null)[], move: string): number;
}

const ticTacToe: Grid = {
  labels: ["X", "O"],
  width: 3,
  height: 3,
  inRow: 3,
  moves: ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"],
  cellFor(cells, move) {
    const cell = this.moves.indexOf(move);
    return cells[cell] === null ? cell : -1;
  },
};

const connectFour: Grid = {
  labels: ["Red", "Yellow"],
  width: 7,
  height: 6,
  inRow: 4,
  moves: ["a", "b", "c", "d", "e", "f", "g"],
  cellFor(cells, move) {
    for (let row = this.height - 1; row >= 0; row--) {
      const cell = row * this.width + this.moves.indexOf(move);
      if (cells[cell] === null) return cell;
    }
    return -1;
  },
};

const steps = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
];

/** Checks every row, column and diagonal of the board. */
function winnerOn({ width, height, inRow }: Grid, cells: readonly (number | null)[]): number | undefined {
  const at = (column: number, row: number) =>
    column >= 0 && column < width && row >= 0 && row < height ? cells[row * width + column] : null;
  for (let cell = 0; cell < cells.length; cell++) {
    const [column, row, owner] = [cell % width, Math.floor(cell / width), cells[cell]];
    if (owner === null) continue;
    for (const [across, down] of steps) {
      let length = 1;
      while (length < inRow && at(column + length * across, row + length * down) === owner) length++;
      if (length === inRow) return owner;
    }
  }
  return undefined;
}

function grid(rules: Grid, cells: readonly (number | null)[], turn: number): Table {
  const found = winnerOn(rules, cells);
  const winner = found ?? (cells.includes(null) ? undefined : null);
  return {
    toMove: winner === undefined ? [turn] : [],
    winner,
    hasSecret: false,
    exists: (move) => rules.moves.includes(move),
    legal: (seat) =>
      winner === undefined && seat === turn
        ? rules.moves.filter((move) => rules.cellFor(cells, move) >= 0)
        : [],
    play: (seat, move) => grid(rules, cells.with(rules.cellFor(cells, move), seat), 1 - seat),
    sight: () => ({
      cells: cells.map((owner) => (owner === null ? null : rules.labels[owner])),
      score: [],
      revealed: [],
      chosen: null,
    }),
  };
}

const throws = ["rock", "paper", "scissors"];
const beaten: Readonly<Record<string, string>> = { rock: "scissors", paper: "rock", scissors: "paper" };
const roundsMax = 50;
const revealedMax = 10;

function rounds(
  bestOf: number,
  past: readonly (readonly string[])[],
  thrown: readonly (string | null)[],
): Table {
  const score = [0, 1].map((seat) => past.filter((round) => beaten[round[seat]] === round[1 - seat]).length);
  const [a, b] = score;
  const isOver = a * 2 > bestOf || b * 2 > bestOf || a + b === bestOf || past.length >= roundsMax;
  const leader = a > b ? 0 : 1;
  const toMove = isOver ? [] : [0, 1].filter((seat) => thrown[seat] === null);
  return {
    toMove,
    winner: isOver ? (a === b ? null : leader) : undefined,
    hasSecret: thrown.some((each) => each !== null),
    exists: (move) => throws.includes(move),
    legal: (seat) => (toMove.includes(seat) ? throws : []),
    play(seat, move) {
      const round = thrown.with(seat, move);
      const isWhole = round.every((each) => each !== null);
      return isWhole ? rounds(bestOf, [...past, round], [null, null]) : rounds(bestOf, past, round);
    },
    sight: (viewer) => ({
      cells: [],
      score,
      revealed: past.slice(-revealedMax).map((round) => [...new Set(round)].sort().join(" ")),
      chosen: viewer === undefined ? null : thrown[viewer],
    }),
  };
}

/** A game added to the catalogue later. Its own ruleset is used, because the model has no other. */
function takenOver(game: AnyGame, record: Match["record"]): Table {
  const match = new Match(game, record);
  const { cells, choices } = game.table;
  return {
    toMove: match.toMove,
    winner: match.outcome?.winner,
    hasSecret: game.isSecret === true && match.outcome === undefined,
    exists: (move) => [...cells, ...choices].some((each) => each.move === move),
    legal: (seat) => match.legal(seat),
    play: (seat, move) => takenOver(game, { ...record, moves: [...record.moves, { seat, move }] }),
    sight(viewer) {
      const { cells, score, notes, chosen } = match.sight(viewer);
      return { cells, score, revealed: notes.map(throwsIn), chosen };
    },
  };
}

/** The throws that a sentence mentions. */
export function throwsIn(sentence: string): string {
  return [...new Set(sentence.match(/rock|paper|scissors/g))].sort().join(" ");
}

/** The table before the first move. The kernel decides at random who starts; the log contains the seed. */
export function newTable(name: string, seed: number, options: Readonly<Record<string, number>>): Table {
  const game = gameNamed(name)!;
  const record = { seed, options, moves: [] };
  if (name === "rock-paper-scissors") return rounds(options.bestOf, [], [null, null]);
  const [first] = new Match(game, record).toMove;
  if (name === "tic-tac-toe") return grid(ticTacToe, Array(9).fill(null), first);
  if (name === "connect-four") return grid(connectFour, Array(42).fill(null), first);
  return takenOver(game, record);
}
