import type { Chance } from "./chance.ts";

/** A seat by number: 0 has the first label, 1 the second. */
export type SeatNumber = number;

/** The winner; null for a draw. Everybody else has lost. */
export interface Outcome {
  readonly winner: SeatNumber | null;
}

/** A whole number chosen when an arena is created, such as the number of rounds per match. */
interface GameOption {
  readonly usual: number;
  readonly least: number;
  readonly most: number;
  readonly means: string;
}
export type GameOptions = Readonly<Record<string, number>>;

/** The table before the first move. Pages draw any game from this, so a new game needs no page of its own. */
interface Table {
  /** Cells per row; 0 for a game without a board. */
  readonly columns: number;
  /** Row by row: the label of each cell, and the move of playing on it. */
  readonly cells: readonly { readonly name: string; readonly move: string }[];
  /** Moves that are not made on a cell. */
  readonly choices: readonly { readonly move: string; readonly name: string; readonly symbol: string }[];
}

/** The choices of a round by seat, and the winner; null for a tie. */
export interface Round {
  readonly number: number;
  readonly chosen: readonly string[];
  readonly winner: SeatNumber | null;
}

/** MT3: what one viewer may see of a match. */
export interface Sight {
  /** The label on each cell of the table, or null. */
  readonly cells: readonly (string | null)[];
  /** Cells to highlight, such as the last move or the winning line. */
  readonly marked: readonly number[];
  /** By seat; empty for games without scores. */
  readonly score: readonly number[];
  /** A description in at most ten sentences, newest last. */
  readonly notes: readonly string[];
  /** For games where all choose at once: at most ten finished rounds, newest last. */
  readonly rounds?: readonly Round[];
  /** The viewer's own secret move. */
  readonly chosen: string | null;
}

/**
 * MT1: a game is one file. It is pure and deterministic, and has no seats or time limits: the arena decides who sits,
 * whose clock runs out and who is next. A state is plain data and is replaced, never changed.
 */
export interface Game<State, Move extends string = string> {
  /** Used in addresses and in the log: lower-case letters, digits and `-`. It never changes. */
  readonly name: string;
  readonly title: string;
  /** How to win, in one sentence. */
  readonly summary: string;
  /** The labels of the seats. Each must be taken by a player. */
  readonly seats: readonly string[];
  readonly options?: Readonly<Record<string, GameOption>>;
  readonly table: Table;
  /** Moves are secret until `view` shows them. */
  readonly isSecret?: true;
  /** `options` has a value within bounds for each option. */
  setup(chance: Chance, options: GameOptions): State;
  /** The seats to move: several for simultaneous moves, none when the match is over. */
  toMove(state: State): readonly SeatNumber[];
  /** The moves of a seat that has to move. All of them are on the table. */
  moves(state: State, seat: SeatNumber): readonly Move[];
  /** Called only with a seat that has to move, and one of its moves. */
  play(state: State, seat: SeatNumber, move: Move): State;
  /** Undefined while the match is running. */
  outcome(state: State): Outcome | undefined;
  /** For a seat, or for all others when that is undefined. */
  view(state: State, viewer: SeatNumber | undefined): Sight;
}

/** A game whose state type is hidden from its users. */
// biome-ignore lint/suspicious/noExplicitAny: games of all kinds stand side by side, each with a state of its own
export type AnyGame = Game<any, any>;
