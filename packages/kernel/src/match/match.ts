import type { Refusal } from "../refusals.ts";
import { Chance } from "./chance.ts";
import type { AnyGame, GameOptions, Outcome, SeatNumber, Sight } from "./game.ts";

export interface MatchMove {
  readonly seat: SeatNumber;
  readonly move: string;
}

/** What a match follows from: whoever has this can play it again, to the same end (MT4). */
export interface MatchRecord {
  readonly seed: number;
  readonly options: GameOptions;
  readonly moves: readonly MatchMove[];
}

/** One match of a game of the catalogue. The game decides what is legal and who has won; nothing else does (AR10). */
export class Match {
  readonly #game: AnyGame;
  readonly #seed: number;
  readonly #options: GameOptions;
  readonly #moves: MatchMove[] = [];
  #state: unknown;

  constructor(game: AnyGame, { seed, options, moves }: MatchRecord) {
    this.#game = game;
    this.#seed = seed;
    this.#options = options;
    this.#state = game.setup(new Chance(seed), options);
    for (const { seat, move } of moves) this.play(seat, move);
  }

  get moves(): readonly MatchMove[] {
    return this.#moves;
  }

  get toMove(): readonly SeatNumber[] {
    return this.#game.toMove(this.#state);
  }

  get outcome(): Outcome | undefined {
    return this.#game.outcome(this.#state);
  }

  /** What the seat may play now: nothing when it is not its turn. */
  legal(seat: SeatNumber): readonly string[] {
    return this.toMove.includes(seat) ? this.#game.moves(this.#state, seat) : [];
  }

  /** MT2: why this move is not to be made, the first reason that applies. */
  obstacleTo(seat: SeatNumber, move: string): Refusal | undefined {
    const { cells, choices } = this.#game.table;
    if (!cells.some((cell) => cell.move === move) && !choices.some((choice) => choice.move === move))
      return { code: "move.unknown", message: `There is no move ${move} in ${this.#game.title}.` };
    if (!this.toMove.includes(seat))
      return { code: "move.out-of-turn", message: "It is not your turn just now." };
    const moves = this.legal(seat);
    if (moves.includes(move)) return undefined;
    const message = `${move} cannot be played any more. You can play: ${moves.join(", ")}.`;
    return { code: "move.impossible", message, data: { moves } };
  }

  /** The match as it will be; this one stays as it is. */
  after(
    seat: SeatNumber,
    move: string,
  ): { readonly toMove: readonly SeatNumber[]; readonly outcome: Outcome | undefined } {
    const state = this.#game.play(this.#state, seat, move);
    return { toMove: this.#game.toMove(state), outcome: this.#game.outcome(state) };
  }

  play(seat: SeatNumber, move: string): void {
    this.#state = this.#game.play(this.#state, seat, move);
    this.#moves.push({ seat, move });
  }

  /** MT3: only what this viewer may see; undefined for those who do not play. */
  sight(viewer: SeatNumber | undefined): Sight {
    return this.#game.view(this.#state, viewer);
  }

  get record(): MatchRecord {
    return { seed: this.#seed, options: this.#options, moves: [...this.#moves] };
  }
}
