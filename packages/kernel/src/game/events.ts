import type { Millis, PersonId, TicketNumber } from "../values.ts";

/** The counts after an event, so that answers and live messages need nothing but the entry. `evolve` checks them. */
interface Counts {
  readonly seated: number;
  readonly waiting: number;
}

type Created = {
  readonly type: "created";
  readonly title: string;
  readonly seats: number;
  readonly waitlist: boolean;
  readonly endsAt: Millis | null;
  readonly creator: string;
};

/** A new place: on a seat at once, or in the line. */
type Joined = Counts & {
  readonly type: "joined";
  readonly ticket: TicketNumber;
  readonly person: PersonId;
  readonly place: "active" | "waiting";
};

/** The front of the line takes a seat. A game asks for no claim, so its places pass through `admitted` at once. */
export type Admitted = Counts & {
  readonly type: "admitted";
  readonly ticket: TicketNumber;
  readonly person: PersonId;
};

type Left = Counts & {
  readonly type: "left";
  readonly ticket: TicketNumber;
  readonly person: PersonId;
  /** `left` gives up a seat, `cancelled` a place in the line. */
  readonly reason: "left" | "cancelled";
};

/** The end of the room ends every live place in it, for the reason `room_ended`. */
type Ended = Counts & {
  readonly type: "ended";
  /** `unused`: nobody ever came (LM7). */
  readonly reason: "ended_by_hand" | "end_time" | "unused";
};

export type GameEvent = Created | Joined | Admitted | Left | Ended;
