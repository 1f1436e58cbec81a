/** Why a place is over. The last is the page's own word for an answer that knows of no place on this device. */
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

/** What one person is told about their own place. */
export interface WaitState {
  readonly status: "waiting" | "admitted" | "active" | "gone";
  /** For `gone`: one of `goneReasons`; what is not one of them is shown as `unknown`. */
  readonly reason?: string;
  readonly position: number;
  readonly ahead: number;
  readonly length: number;
  /** The position when they came: where the progress bar begins. */
  readonly enteredPosition: number;
  readonly estimate: Estimate | null;
  /** Until this request nothing was heard of the place for a while. */
  readonly away?: true;
  readonly paused: boolean;
  readonly admittedLastMinute: number;
  /** Running count of people let in, as of this state. */
  readonly moved: number;
  readonly askAgainSeconds: number;
  /** ISO time until which the admission holds. */
  readonly claimBy?: string;
}

/** What everyone in the line is told at once: from it each page works out its own position. */
export interface Pulse {
  readonly version: number;
  readonly moved: number;
  readonly waiting: number;
  readonly admittedLastMinute: number;
  readonly paused: boolean;
}
