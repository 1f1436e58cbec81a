import type { Millis, PersonId, TicketNumber } from "../values.ts";
import type { Arrival, CreateQueue } from "./commands.ts";
import type { EstimateSeconds } from "./pace/estimate.ts";
import type { QueueCounts, QueueSettings } from "./state.ts";

type Created = Omit<CreateQueue, "type"> & { readonly type: "created" };

/** A setting was changed, or the room paused or resumed. Holds all settings from now on. */
type Configured = QueueCounts & {
  readonly type: "configured";
  readonly settings: QueueSettings;
  readonly paused: boolean;
};

/** A new place in the line, with exactly `behind` of the people present behind it. */
export type Entered = QueueCounts &
  Arrival & {
    readonly type: "entered";
    readonly ticket: TicketNumber;
    readonly person: PersonId;
    readonly lane: number;
    readonly behind: number;
    /** The estimate shown to the person, to compare it with the actual wait (ST2). */
    readonly estimate: EstimateSeconds | null;
    readonly askAgain: number;
  };

/** The front of the line is admitted and has to claim the admission in time. */
export type Admitted = QueueCounts & {
  readonly type: "admitted";
  readonly tickets: readonly TicketNumber[];
  readonly claimBy: Millis;
};

type Claimed = QueueCounts & {
  readonly type: "claimed";
  readonly ticket: TicketNumber;
  readonly person: PersonId;
  /** When the session ends at the latest. */
  readonly until: Millis;
};

/** By the person: `cancelled` gives up a waiting place, `left` an admitted or active one. */
type Left = QueueCounts & {
  readonly type: "left";
  readonly ticket: TicketNumber;
  readonly reason: "cancelled" | "left";
};

type Completed = QueueCounts & { readonly type: "completed"; readonly ticket: TicketNumber };

/** LS6: a code was used, and the place can now also be used on another device. */
type TakenAlong = QueueCounts & { readonly type: "taken-along"; readonly ticket: TicketNumber };

export type ExpiryReason = "heartbeat_timeout" | "claim_timeout" | "session_timeout" | "terminated";
type Expired = QueueCounts & {
  readonly type: "expired";
  readonly tickets: readonly TicketNumber[];
  readonly reason: ExpiryReason;
};

/** LN11: these waiting places sent no heartbeat for a while. Admission skips them until they come back. */
type Away = QueueCounts & { readonly type: "away"; readonly tickets: readonly TicketNumber[] };

/** LN11: these places were away and have sent a heartbeat. */
type Back = QueueCounts & { readonly type: "back"; readonly tickets: readonly TicketNumber[] };

/** The queue has ended, and with it every live place, for the reason `room_ended`. */
type Ended = QueueCounts & { readonly type: "ended"; readonly reason: "ended_by_hand" };

/** RM5: why a place is over. */
export type EndReason = Left["reason"] | "completed" | ExpiryReason | "room_ended";

export type QueueEvent =
  | Created
  | Configured
  | Entered
  | Admitted
  | Claimed
  | Left
  | Completed
  | Expired
  | TakenAlong
  | Away
  | Back
  | Ended;
