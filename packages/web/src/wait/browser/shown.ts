import { type Announced, isWorthSaying } from "./announcing.ts";
import { isRise, nextEstimate, type ShownEstimate } from "./estimate.ts";
import { positionNow } from "./position.ts";
import type { Pulse, WaitState } from "./state.ts";

/** An explanation for a change that would otherwise look like an error. */
interface Note {
  readonly kind: "away" | "overtaken" | "slower";
  readonly from: number;
  readonly to: number;
  readonly untilMs: number;
}

/** What to announce. */
type Saying = "position" | "overtaken" | "paused" | "resumed" | "your-turn" | "gone";

/** The combined data of state and pulse, before display rules are applied. */
interface LineData {
  readonly state: WaitState;
  /** The latest known count of people let in, and when the last pulse arrived. */
  readonly moved: number;
  readonly pulsedMs: number;
  readonly position: number;
  readonly waiting: number;
  readonly admittedLastMinute: number;
  readonly paused: boolean;
}

/** The state of the screen. The page draws nothing else. */
export interface Shown extends LineData {
  readonly estimate: ShownEstimate;
  readonly note: Note | undefined;
  readonly announced: Announced;
  readonly saying: Saying | undefined;
}

const noteMs = 30_000;

/** Longer than any answer takes: a state contains every pulse that is older than this. */
const overtakingMs = 5_000;

export function firstShown(state: WaitState, nowMs: number): Shown {
  return {
    ...fromState(state, state.moved, 0),
    estimate: { estimate: state.estimate, sinceMs: nowMs },
    note: undefined,
    announced: { position: state.position, atMs: nowMs },
    saying: undefined,
  };
}

/** The screen after an exact state has arrived. */
export function afterState(shown: Shown, state: WaitState, nowMs: number): Shown {
  // A pulse can overtake an answer. Without this check the position would jump back and forth.
  const isPulseNewer = nowMs - shown.pulsedMs < overtakingMs && state.status === shown.state.status;
  const moved = isPulseNewer ? Math.max(shown.moved, state.moved) : state.moved;
  return after(shown, fromState(state, moved, shown.pulsedMs), nowMs);
}

/** The screen after a pulse has arrived. */
export function afterPulse(shown: Shown, pulse: Pulse, nowMs: number): Shown {
  const { state } = shown;
  const { waiting, admittedLastMinute, paused } = pulse;
  const moved = Math.max(shown.moved, pulse.moved);
  const position = positionNow(state, moved);
  const received = { state, moved, pulsedMs: nowMs, position, waiting, admittedLastMinute, paused };
  return after(shown, received, nowMs);
}

function fromState(state: WaitState, moved: number, pulsedMs: number): LineData {
  const { length: waiting, admittedLastMinute, paused } = state;
  const position = positionNow(state, moved);
  return { state, moved, pulsedMs, position, waiting, admittedLastMinute, paused };
}

function after(shown: Shown, received: LineData, nowMs: number): Shown {
  // Keep the old estimate while the line is paused: the server sends none, and the page shows "paused" instead.
  const fresh = received.paused ? shown.estimate.estimate : received.state.estimate;
  const estimate = nextEstimate(shown.estimate, fresh, nowMs);
  const note = noteAfter(shown, received, estimate, nowMs);
  const saying = sayingAfter(shown, received, note, nowMs);
  const announced = saying ? { position: received.position, atMs: nowMs } : shown.announced;
  return { ...received, estimate, note, announced, saying };
}

function noteAfter(
  shown: Shown,
  received: LineData,
  estimate: ShownEstimate,
  nowMs: number,
): Note | undefined {
  // A new place starts at a higher position without being overtaken.
  const isSamePlace =
    shown.state.status === "waiting" && shown.state.enteredPosition === received.state.enteredPosition;
  if (received.state.status !== "waiting" || !isSamePlace) return undefined;
  const note = { from: shown.position, to: received.position, untilMs: nowMs + noteMs };
  if (received.state.away) return { kind: "away", ...note };
  if (received.position > shown.position) return { kind: "overtaken", ...note };
  if (isRise(shown.estimate.estimate, estimate.estimate)) return { kind: "slower", ...note };
  return shown.note && shown.note.untilMs > nowMs ? shown.note : undefined;
}

function sayingAfter(
  shown: Shown,
  received: LineData,
  note: Note | undefined,
  nowMs: number,
): Saying | undefined {
  const { status } = received.state;
  if (status !== shown.state.status)
    return status === "gone" ? "gone" : status === "waiting" ? "position" : "your-turn";
  if (status !== "waiting") return undefined;
  if (received.paused !== shown.paused) return received.paused ? "paused" : "resumed";
  if (note?.kind === "overtaken" && note !== shown.note) return "overtaken";
  return isWorthSaying(shown.announced, received.position, nowMs) ? "position" : undefined;
}
