import type { Chance } from "./chance.ts";

/** A seat of a game by its number: 0 has the first label, 1 the second. */
export type SeatNumber = number;

/** Who has won; null for a draw. Everybody else has lost. */
export interface Outcome {
  readonly winner: SeatNumber | null;
}

/** A whole number that whoever makes an arena may choose, such as how many rounds a match has. */
interface GameOption {
  readonly usual: number;
  readonly least: number;
  readonly most: number;
  readonly means: string;
}
export type GameOptions = Readonly<Record<string, number>>;

/** What is on the table before anyone moves. Pages draw any game from this, so a new game needs no page of its own. */
interface Table {
  /** Cells in a row; 0 for a game without a board. */
  readonly columns: number;
  /** Row by row: what each cell is called, and the move that playing on it makes. */
  readonly cells: readonly { readonly name: string; readonly move: string }[];
  /** Moves that are not made on a cell. */
  readonly choices: readonly { readonly move: string; readonly name: string; readonly symbol: string }[];
}

/** What was chosen in a round, by seat, and who won it; null for nobody. */
export interface Round {
  readonly number: number;
  readonly chosen: readonly string[];
  readonly winner: SeatNumber | null;
}

/** What one viewer may see of a match (MT3). */
export interface Sight {
  /** What lies on each cell of the table: a label, or null. */
  readonly cells: readonly (string | null)[];
  /** Cells to stress, such as the last move or the line that has won. */
  readonly marked: readonly number[];
  /** By seat; empty where a game counts nothing. */
  readonly score: readonly number[];
  /** What there is to tell in words, at most ten sentences, the newest last. */
  readonly notes: readonly string[];
  /** Where all choose at once: the rounds that are over, at most ten, the newest last. */
  readonly rounds?: readonly Round[];
  /** The move that the viewer alone knows of. */
  readonly chosen: string | null;
}

/**
 * MT1: a game is one file. It is pure and deterministic, and counts no seats and no time: who sits, whose clock runs out
 * and who comes next is the arena's business. A state is plain data, never changed, only followed by another.
 */
export interface Game<State, Move extends string = string> {
  /** Part of addresses and of the log: small letters, digits and `-`; never changed afterwards. */
  readonly name: string;
  readonly title: string;
  /** How it is won, in a sentence. */
  readonly summary: string;
  /** The labels of the seats; each is filled by one player, and all have to be. */
  readonly seats: readonly string[];
  readonly options?: Readonly<Record<string, GameOption>>;
  readonly table: Table;
  /** Nobody is told of a move before `view` shows it. */
  readonly isSecret?: true;
  /** `options` has a value for each option, within its bounds. */
  setup(chance: Chance, options: GameOptions): State;
  /** Who has to move: several at once where moves are simultaneous, nobody when the match is over. */
  toMove(state: State): readonly SeatNumber[];
  /** What a seat that has to move may play. All of them are on the table. */
  moves(state: State, seat: SeatNumber): readonly Move[];
  /** Asked only with a seat that has to move, and a move that it may play. */
  play(state: State, seat: SeatNumber, move: Move): State;
  /** Undefined while the match goes on. */
  outcome(state: State): Outcome | undefined;
  /** For a seat, or for everyone else when that is undefined. */
  view(state: State, viewer: SeatNumber | undefined): Sight;
}

/** A game whose state is nobody's business but its own. */
// biome-ignore lint/suspicious/noExplicitAny: games of all kinds stand side by side, each with a state of its own
export type AnyGame = Game<any, any>;
