import type { Millis, PersonId, TicketNumber } from "../values.ts";

/** The counts after an event, so that answers and live messages need only the entry. `evolve` checks them. */
interface Counts {
  readonly seated: number;
  readonly waiting: number;
}

/** The person's own name at the time of joining, if they had one. */
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

/** A new place: on a seat if one is free, otherwise in the line. */
type Joined = Counts &
  OfPerson & {
    readonly type: "joined";
    readonly place: "active" | "waiting";
  };

/** The front of the line takes a seat. Games need no claim, so the place passes through `admitted` at once. */
type Admitted = Counts & OfPerson & { readonly type: "admitted" };

/**
 * RM5. `left` gives up a seat, `cancelled` a place in the line. `removed` (by the game's creator or an operator) and
 * `heartbeat_timeout` apply to both.
 */
export type LeaveReason = "left" | "cancelled" | "removed" | "heartbeat_timeout";
export type Left = Counts & OfPerson & { readonly type: "left"; readonly reason: LeaveReason };

/** The room has ended, and with it every live place, for the reason `room_ended`. */
type Ended = Counts & {
  readonly type: "ended";
  /** `unused`: nobody ever joined (LM7). */
  readonly reason: "ended_by_hand" | "end_time" | "unused";
};

export type GameEvent = Created | Joined | Admitted | Left | Ended;
