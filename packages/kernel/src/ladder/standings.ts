import { Line } from "../line/line.ts";
import type { TicketNumber } from "../values.ts";
import type { Players } from "./players.ts";
import type { PlayerNumber } from "./state.ts";

/** A cursor in the standings. It stays valid while the players before it change. */
export interface StandingsCursor {
  readonly rating: number;
  readonly player: PlayerNumber;
}

/**
 * LD7: the players by rating, best first; among equals, the one who enrolled first. Players who have left come after
 * all others, so coming back only moves an entry.
 */
export class Standings {
  readonly #players: Players;
  readonly #order: Line;

  /** `order` is the result of `save`. */
  constructor(players: Players, order: Uint32Array = new Uint32Array()) {
    this.#players = players;
    this.#order = Line.from(order);
  }

  save(): Uint32Array {
    return this.#order.toArray();
  }

  /** Adds a new player whose rating is known. */
  enter(player: PlayerNumber): void {
    this.#order.insert(ticketOf(player), this.#order.length - this.#order.count(this.#precedes(player)));
  }

  /** Moves a player whose rating or presence has changed. */
  moved(player: PlayerNumber): void {
    this.#order.move(ticketOf(player), this.#precedes(player));
  }

  /** One more than the number of players with a higher rating: equals share a rank. */
  rankOf(player: PlayerNumber): number | undefined {
    if (!this.#players.isPresent(player)) return undefined;
    return 1 + this.#higherThan(this.#players.ratingOf(player));
  }

  /** How many players have a higher rating. */
  #higherThan(rating: number): number {
    return this.#order.count((ticket) => {
      const other = ticket as number as PlayerNumber;
      return this.#players.isPresent(other) && this.#players.ratingOf(other) > rating;
    });
  }

  /** The player in this place, counted from 1. */
  at(place: number): PlayerNumber | undefined {
    return place > this.#players.present ? undefined : (this.#order.at(place) as number as PlayerNumber);
  }

  /** The players after the cursor, or from the top without one, and how many are ahead of them. */
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

/** A line orders tickets. Here each ticket is a player number. */
function ticketOf(player: PlayerNumber): TicketNumber {
  return player as number as TicketNumber;
}
