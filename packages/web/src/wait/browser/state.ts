/** Why a place is over. `unknown` is the page's own: the server knows no place on this device. */
export const goneReasons = [
  "heartbeat_timeout",
  "claim_timeout",
  "session_timeout",
  "cancelled",
  "left",
  "terminated",
  "room_ended",
  "completed",
  "unknown",
] as const;

export type GoneReason = (typeof goneReasons)[number];

export interface Estimate {
  readonly lowSeconds: number;
  readonly highSeconds: number;
}

/** A person's own place, as the server sends it. */
export interface WaitState {
  readonly status: "waiting" | "admitted" | "active" | "gone";
  /** For `gone`: one of `goneReasons`. Other values are shown as `unknown`. */
  readonly reason?: string;
  readonly position: number;
  readonly ahead: number;
  readonly length: number;
  /** The position on arrival, where the progress bar starts. */
  readonly enteredPosition: number;
  readonly estimate: Estimate | null;
  /** The place had missed its heartbeats until this request. */
  readonly away?: true;
  readonly paused: boolean;
  readonly admittedLastMinute: number;
  /** Running count of people let in, as of this state. */
  readonly moved: number;
  readonly askAgainSeconds: number;
  /** When the admission expires, as an ISO time. */
  readonly claimBy?: string;
}

/** Sent to everyone in the line at once. Each page derives its own position from it. */
export interface Pulse {
  readonly version: number;
  readonly moved: number;
  readonly waiting: number;
  readonly admittedLastMinute: number;
  readonly paused: boolean;
}
