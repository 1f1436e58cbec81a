import type { Lane } from "../line/lanes.ts";
import type { PersonId, TicketNumber } from "../values.ts";
import type { QueueSettings } from "./state.ts";

export type CreateQueue = {
  readonly type: "create";
  readonly settings: QueueSettings;
  readonly lanes: readonly Lane[];
  readonly placesPerAddressMax: number | null;
  readonly creator: string;
  /** Of settings that were not given: their defaults in older versions. A key from before an upgrade is recognised by them. */
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

/** What is kept of an arrival besides the person (LN10). */
export interface Arrival {
  /** JSON. */
  readonly metadata?: string;
  /** A hash of it: enough to count by, too little to find anyone by. */
  readonly address?: string;
  readonly userAgent?: string;
}
export type Enter = Arrival & {
  readonly type: "enter";
  readonly person: PersonId;
  readonly lane: number;
  /** Asked for by a service or an operator, not by the person. */
  readonly onBehalf: boolean;
};

/** About a place that there is already. `person` is who asks; undefined for services and operators, who ask for anyone. */
interface AboutPlace {
  readonly ticket: TicketNumber;
  readonly person: PersonId | undefined;
}
export type Leave = AboutPlace & { readonly type: "leave" };
export type Claim = AboutPlace & { readonly type: "claim" };
export type Complete = AboutPlace & { readonly type: "complete" };
/** LS6: by a code. `before` is how often the place had been moved when the code was made. */
export type TakeAlong = {
  readonly type: "take-along";
  readonly ticket: TicketNumber;
  readonly before: number;
};
export type Terminate = AboutPlace & { readonly type: "terminate" };

/** From the host, which knows who has been heard of. */
export type Expire = {
  readonly type: "expire";
  readonly tickets: readonly TicketNumber[];
  readonly reason: "heartbeat_timeout" | "session_timeout";
};
/** LN11, from the host too. */
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
