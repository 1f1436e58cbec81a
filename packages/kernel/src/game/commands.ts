import type { Millis, PersonId, TicketNumber } from "../values.ts";

export type Create = {
  readonly type: "create";
  readonly title: string;
  readonly seats: number;
  readonly waitlist: boolean;
  readonly endsAt: Millis | null;
  /** LS2: places expire after this time without a heartbeat; null for never. */
  readonly heartbeatTimeoutMs?: number;
  readonly creator: string;
};
/** `name` is shown to others. Without one, they see a name derived from the person's id. */
export type Join = {
  readonly type: "join";
  readonly person: PersonId;
  readonly name?: string | undefined;
};
export type Leave = { readonly type: "leave"; readonly person: PersonId };
export type End = { readonly type: "end"; readonly by: string; readonly asOperator: boolean };
/** GM10: takes a person's place away. */
export type Remove = {
  readonly type: "remove";
  readonly person: PersonId;
  readonly by: string;
  readonly asOperator: boolean;
};
/** From the host, which tracks heartbeats. */
type Expire = { readonly type: "expire"; readonly tickets: readonly TicketNumber[] };
type Tick = { readonly type: "tick" };

export type GameCommand = Create | Join | Leave | End | Remove | Expire | Tick;
