import type { Millis, PersonId, TicketNumber } from "../values.ts";

/** The counts after an event, so that answers and live messages need nothing but the entry. `evolve` checks them. */
interface Counts {
  readonly seated: number;
  readonly waiting: number;
}

/** The name is that by which they joined, if they have one of their own. */
interface OfPerson {
  readonly ticket: TicketNumber;
  readonly person: PersonId;
  readonly name?: string;
}

type Created = {
  readonly type: "created";
  readonly title: string;
  readonly seats: number;
  readonly waitlist: boolean;
  readonly endsAt: Millis | null;
  readonly heartbeatTimeoutMs?: number;
  readonly creator: string;
};

/** A new place: on a seat at once, or in the line. */
type Joined = Counts &
  OfPerson & {
    readonly type: "joined";
    readonly place: "active" | "waiting";
  };

/** The front of the line takes a seat. A game asks for no claim, so its places pass through `admitted` at once. */
type Admitted = Counts & OfPerson & { readonly type: "admitted" };

/**
 * RM5. `left` gives up a seat, `cancelled` a place in the line; `removed` (by the maker of the game or an operator) and
 * `heartbeat_timeout` take away either.
 */
export type LeaveReason = "left" | "cancelled" | "removed" | "heartbeat_timeout";
export type Left = Counts & OfPerson & { readonly type: "left"; readonly reason: LeaveReason };

/** The end of the room ends every live place in it, for the reason `room_ended`. */
type Ended = Counts & {
  readonly type: "ended";
  /** `unused`: nobody ever came (LM7). */
  readonly reason: "ended_by_hand" | "end_time" | "unused";
};

export type GameEvent = Created | Joined | Admitted | Left | Ended;
