import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { useNow } from "../../ui/hooks/use-now.ts";
import { clockFace } from "../../ui/words.ts";
import { hurryMs, isHurryTime, type ServerClock } from "./server-clock.ts";

interface Props {
  readonly moveBy: string;
  readonly turnSeconds: number | null;
  readonly clock: ServerClock;
  readonly isYours: boolean;
}

/** The time left in a turn, in numbers and as a shrinking bar. */
export function TurnClock({ moveBy, turnSeconds, clock, isYours }: Props): JSX.Element {
  const now = useNow(250);
  const turnMs = (turnSeconds ?? 0) * 1_000;
  const left = clock.untilMs(moveBy, now);
  const leftMs = turnMs > 0 ? Math.min(left, turnMs) : left;
  const share = turnMs > 0 ? leftMs / turnMs : 0;
  const isShort = leftMs <= Math.min(hurryMs, turnMs / 2);
  return (
    <>
      <span class={`clock${isShort ? " short" : ""}`} role="timer" aria-label="Time left">
        {clockFace(leftMs)}
      </span>
      <span class={`clock-bar${isShort ? " short" : ""}`} aria-hidden="true">
        {/* The key makes a new bar for each turn, which starts full instead of growing back. */}
        <span key={moveBy} style={{ transform: `scaleX(${share.toFixed(4)})` }} />
      </span>
      {isYours && <Hurry leftMs={leftMs} turnMs={turnMs} />}
    </>
  );
}

/** Announces once that little time is left. */
function Hurry({ leftMs, turnMs }: { readonly leftMs: number; readonly turnMs: number }): JSX.Element {
  const before = useRef(leftMs);
  const words = useRef("");
  if (isHurryTime(leftMs, before.current, turnMs))
    words.current = `${Math.round(leftMs / 1_000)} seconds left.`;
  if (leftMs > hurryMs) words.current = "";
  before.current = leftMs;
  return (
    <span class="unseen" role="status">
      {words.current}
    </span>
  );
}
