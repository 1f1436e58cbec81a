import { type Hand, winnerOf } from "../match/games/rock-paper-scissors.ts";
import type { Both, Millis, PersonId } from "../values.ts";

/** 1, 2, 3… in the order in which they were opened. */
export type DuelNumber = number & { readonly brand: "duel" };

/** One of the two seats, fixed from the start: 0 is the person who opened the duel. */
export type DuelSeat = 0 | 1;

/** Rock-paper-scissors between two people, one throw each. */
export interface Duel {
  readonly number: DuelNumber;
  readonly players: Both<PersonId>;
  /** CH4: the throws, which stay secret until both are in. */
  readonly hands: Both<Hand | null>;
  /** The ladder that each player wants it to count on. */
  readonly ladders: Both<string | null>;
  readonly openedAt: Millis;
  readonly lapsesAt: Millis;
  /** A hash of the network that it was opened from; undefined on channels. */
  readonly network?: string;
}

/** Why a duel ended without a result. `crowded`: it was evicted for another (LM6). */
export type DropReason = "withdrawn" | "declined" | "gone" | "lapsed" | "crowded";

/** A finished duel. Names are those at the time: people may since have other names, or be forgotten. */
export interface FinishedDuel {
  readonly number: DuelNumber;
  readonly players: Both<PersonId>;
  readonly names: Both<string>;
  readonly at: Millis;
  /** Both throws and the winner; or why it was dropped. */
  readonly end: DuelResult | { readonly dropped: DropReason };
}

export interface DuelResult {
  readonly hands: Both<Hand>;
  /** Null for a draw. */
  readonly winner: DuelSeat | null;
  /** The ladder that it counts on. */
  readonly ladder: string | null;
}

/** The result once both have thrown. It counts on a ladder if both want it to count there. */
export function resultOf(hands: Both<Hand>, ladders: Both<string | null>): DuelResult {
  const winner = winnerOf(hands) as DuelSeat | null;
  return { hands, winner, ladder: ladders[0] === ladders[1] ? ladders[0] : null };
}

export function seatIn({ players }: Pick<Duel, "players">, person: PersonId): DuelSeat | undefined {
  if (players[0] === person) return 0;
  return players[1] === person ? 1 : undefined;
}

export function otherSeat(seat: DuelSeat): DuelSeat {
  return seat === 0 ? 1 : 0;
}

export function withAt<T>(both: Both<T>, seat: DuelSeat, value: T): Both<T> {
  return seat === 0 ? [value, both[1]] : [both[0], value];
}
