import { type Millis, type QueuePlace, type QueueRoom, queueStatistics } from "@openseat/kernel";
import type { WaitState } from "@openseat/web";
import { iso } from "../../views/times.ts";

export function waitStateOf(room: QueueRoom, place: QueuePlace, now: Millis): WaitState {
  const { state, position, enteredPosition, away, estimate, askAgainSeconds, reason, until } = place;
  return {
    status: state === "waiting" || state === "admitted" || state === "active" ? state : "gone",
    ...(reason !== undefined && { reason }),
    position,
    ahead: Math.max(0, position - 1),
    length: room.line.length,
    enteredPosition,
    estimate: estimate && { lowSeconds: estimate.low, highSeconds: estimate.high },
    ...(away && { away: true as const }),
    paused: room.paused,
    admittedLastMinute: queueStatistics(room, now).admittedLastMinute,
    moved: room.moved,
    askAgainSeconds,
    ...(state === "admitted" && { claimBy: iso(until!) }),
  };
}

/** The state shown to a visitor without a place. */
export function noPlace(): WaitState {
  return {
    status: "gone",
    ...{ position: 0, ahead: 0, length: 0, enteredPosition: 0, moved: 0 },
    ...{ estimate: null, paused: false, admittedLastMinute: 0, askAgainSeconds: 60 },
  };
}
