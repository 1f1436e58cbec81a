import type { Refusal } from "../refusals.ts";
import { Chance } from "./chance.ts";
import type { AnyGame, GameOptions, Outcome, SeatNumber, Sight } from "./game.ts";

export interface MatchMove {
  readonly seat: SeatNumber;
  readonly move: string;
}

/** Everything that a match follows from: replaying it gives the same end (MT4). */
export interface MatchRecord {
  readonly seed: number;
  readonly options: GameOptions;
  readonly moves: readonly MatchMove[];
}

/** A match of a game of the catalogue. The game alone decides what is legal and who has won (AR10). */
export class Match {
  readonly #game: AnyGame;
  readonly #seed: number;
  readonly #options: GameOptions;
  readonly #moves: MatchMove[] = [];
  #state: unknown;
  #turn = 1;

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

  /** MT5: the first turn is 1. Where several players move at once, all of their moves are one turn. */
  get turn(): number {
    return this.#turn;
  }

  get toMove(): readonly SeatNumber[] {
    return this.#game.toMove(this.#state);
  }

  get outcome(): Outcome | undefined {
    return this.#game.outcome(this.#state);
  }

  /** The moves that a seat can make now; empty when it is not its turn. */
  legal(seat: SeatNumber): readonly string[] {
    return this.toMove.includes(seat) ? this.#game.moves(this.#state, seat) : [];
  }

  /** MT2, MT5: why this move is refused: the first reason that applies. */
  obstacleTo(seat: SeatNumber, move: string, turn?: number): Refusal | undefined {
    const { cells, choices } = this.#game.table;
    if (!cells.some((cell) => cell.move === move) && !choices.some((choice) => choice.move === move))
      return { code: "move.unknown", message: `There is no move ${move} in ${this.#game.title}.` };
    if (turn !== undefined && turn !== this.#turn)
      return {
        code: "turn.stale",
        message: `Your move was for turn ${turn}, but it is now turn ${this.#turn}. Look at the table and choose again.`,
        data: { turn: this.#turn },
      };
    if (!this.toMove.includes(seat)) return { code: "move.out-of-turn", message: "It is not your turn." };
    const moves = this.legal(seat);
    if (!moves.includes(move)) {
      const message = `${move} cannot be played any more. You can play: ${moves.join(", ")}.`;
      return { code: "move.impossible", message, data: { moves } };
    }
    if (turn !== undefined || !this.#hasMade(seat, move)) return undefined;
    const message = `You have played ${move} in this match already. To play it again, name the turn: it is turn ${this.#turn}.`;
    return { code: "turn.missing", message, data: { turn: this.#turn } };
  }

  #hasMade(seat: SeatNumber, move: string): boolean {
    return this.#moves.some((made) => made.seat === seat && made.move === move);
  }

  /** The match after the move. This one does not change. */
  after(
    seat: SeatNumber,
    move: string,
  ): { readonly outcome: Outcome | undefined; readonly isSameTurn: boolean } {
    const state = this.#game.play(this.#state, seat, move);
    return { outcome: this.#game.outcome(state), isSameTurn: this.#isSameTurn(seat, state) };
  }

  play(seat: SeatNumber, move: string): void {
    const state = this.#game.play(this.#state, seat, move);
    if (!this.#isSameTurn(seat, state)) this.#turn++;
    this.#state = state;
    this.#moves.push({ seat, move });
  }

  /** Whether the same turn continues, with fewer players to move. Then nobody moves twice in one turn. */
  #isSameTurn(seat: SeatNumber, after: unknown): boolean {
    const toMove = this.#game.toMove(after);
    return toMove.length > 0 && toMove.every((other) => other !== seat && this.toMove.includes(other));
  }

  /** MT3: the match as this viewer may see it; undefined for people who do not play. */
  sight(viewer: SeatNumber | undefined): Sight {
    return this.#game.view(this.#state, viewer);
  }

  get record(): MatchRecord {
    return { seed: this.#seed, options: this.#options, moves: [...this.#moves] };
  }
}
