import { Line } from "../line/line.ts";
import type { TicketNumber } from "../values.ts";
import type { Players } from "./players.ts";
import type { PlayerNumber } from "./state.ts";

/** A place in the standings: behind everyone who precedes it, whoever that is by then. */
export interface StandingsCursor {
  readonly rating: number;
  readonly player: PlayerNumber;
}

/**
 * LD7: the players by rating, the best first, and of equals whoever enrolled first. Those who have left stand behind all
 * the others, so that coming back is one more move and nobody's number has to be entered twice.
 */
export class Standings {
  readonly #players: Players;
  readonly #order: Line;

  /** `order` is what `save` gave. */
  constructor(players: Players, order: Uint32Array = new Uint32Array()) {
    this.#players = players;
    this.#order = Line.from(order);
  }

  save(): Uint32Array {
    return this.#order.toArray();
  }

  /** A newcomer, whose rating is known. */
  enter(player: PlayerNumber): void {
    this.#order.insert(ticketOf(player), this.#order.length - this.#order.count(this.#precedes(player)));
  }

  /** The rating of someone changed, or whether they are in the ladder. */
  moved(player: PlayerNumber): void {
    this.#order.move(ticketOf(player), this.#precedes(player));
  }

  /** One more than the number of those who are rated higher: equals share a rank. */
  rankOf(player: PlayerNumber): number | undefined {
    if (!this.#players.isPresent(player)) return undefined;
    return 1 + this.#higherThan(this.#players.ratingOf(player));
  }

  /** How many are rated higher. */
  #higherThan(rating: number): number {
    return this.#order.count((ticket) => {
      const other = ticket as number as PlayerNumber;
      return this.#players.isPresent(other) && this.#players.ratingOf(other) > rating;
    });
  }

  /** Whoever is in this place, counted from 1. */
  at(place: number): PlayerNumber | undefined {
    return place > this.#players.present ? undefined : (this.#order.at(place) as number as PlayerNumber);
  }

  /** In order, those behind the cursor, from the top without one; and how many are ahead of them. */
  after(
    cursor: StandingsCursor | undefined,
    limit: number,
  ): { readonly ahead: number; readonly players: readonly PlayerNumber[] } {
    const ahead = cursor === undefined ? 0 : this.#order.count((ticket) => this.#isUpTo(ticket, cursor));
    const present = Math.max(0, Math.min(limit, this.#players.present - ahead));
    return {
      ahead,
      players: this.#order.slice(ahead, present) as readonly number[] as readonly PlayerNumber[],
    };
  }

  #isUpTo(ticket: TicketNumber, { rating, player }: StandingsCursor): boolean {
    const other = ticket as number as PlayerNumber;
    if (!this.#players.isPresent(other)) return false;
    const difference = this.#players.ratingOf(other) - rating;
    return difference > 0 || (difference === 0 && other <= player);
  }

  #precedes(player: PlayerNumber): (ticket: TicketNumber) => boolean {
    const players = this.#players;
    const isPresent = players.isPresent(player);
    const rating = players.ratingOf(player);
    return (ticket) => {
      const other = ticket as number as PlayerNumber;
      if (players.isPresent(other) !== isPresent) return !isPresent;
      const difference = players.ratingOf(other) - rating;
      return difference > 0 || (difference === 0 && other < player);
    };
  }
}

/** A line is of tickets; here each is the number of a player. */
function ticketOf(player: PlayerNumber): TicketNumber {
  return player as number as TicketNumber;
}
