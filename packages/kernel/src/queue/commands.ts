import type { Lane } from "../line/lanes.ts";
import type { PersonId, TicketNumber } from "../values.ts";
import type { QueueSettings } from "./state.ts";

export type CreateQueue = {
  readonly type: "create";
  readonly settings: QueueSettings;
  readonly lanes: readonly Lane[];
  readonly placesPerAddressMax: number | null;
  readonly creator: string;
  /**
   * The defaults of older versions for settings that were not given, so that idempotency keys from before an upgrade
   * still match.
   */
  readonly formerDefaults?: Partial<QueueSettings>;
};
type Configure = {
  readonly type: "configure";
  readonly changes: Partial<QueueSettings>;
  readonly formerDefaults?: Partial<QueueSettings>;
};
type Pause = { readonly type: "pause" };
type Resume = { readonly type: "resume" };
type End = { readonly type: "end" };

/** Data about an arrival in addition to the person (LN10). */
export interface Arrival {
  /** JSON. */
  readonly metadata?: string;
  /** A hash of the address: enough to count by, too little to identify anyone. */
  readonly address?: string;
  readonly userAgent?: string;
}
export type Enter = Arrival & {
  readonly type: "enter";
  readonly person: PersonId;
  readonly lane: number;
  /** Requested by a service or an operator, not by the person. */
  readonly onBehalf: boolean;
};

/**
 * About an existing place. `person` made the request; undefined for services and operators, who may act for anyone.
 */
interface AboutPlace {
  readonly ticket: TicketNumber;
  readonly person: PersonId | undefined;
}
export type Leave = AboutPlace & { readonly type: "leave" };
export type Claim = AboutPlace & { readonly type: "claim" };
export type Complete = AboutPlace & { readonly type: "complete" };
/** LS6: moves a place by a code. `before` is how often the place had been moved when the code was made. */
export type TakeAlong = {
  readonly type: "take-along";
  readonly ticket: TicketNumber;
  readonly before: number;
};
export type Terminate = AboutPlace & { readonly type: "terminate" };

/** From the host, which tracks heartbeats. */
export type Expire = {
  readonly type: "expire";
  readonly tickets: readonly TicketNumber[];
  readonly reason: "heartbeat_timeout" | "session_timeout";
};
/** LN11: from the host, which tracks heartbeats. */
export type Away = { readonly type: "away"; readonly tickets: readonly TicketNumber[] };
export type Back = { readonly type: "back"; readonly tickets: readonly TicketNumber[] };
type Tick = { readonly type: "tick" };

export type QueueCommand =
  | CreateQueue
  | Configure
  | Pause
  | Resume
  | End
  | Enter
  | Leave
  | Claim
  | Complete
  | Terminate
  | TakeAlong
  | Expire
  | Away
  | Back
  | Tick;
