import type { Estimate } from "./state.ts";

/** The estimate on the screen, and since when it is there. */
export interface ShownEstimate {
  readonly estimate: Estimate | null;
  readonly sinceMs: number;
}

/** An estimate that changes faster than one can read it is worth nothing. */
const changeEveryMs = 5_000;

/** Below this, a narrow range would let every little wobble through. */
const widthAtLeastSeconds = 60;

function middle({ lowSeconds, highSeconds }: Estimate): number {
  return (lowSeconds + highSeconds) / 2;
}

/** Whether it says a longer wait, by more than the range itself left open. */
export function isRise(before: Estimate | null, after: Estimate | null): boolean {
  if (before === null || after === null) return false;
  const width = Math.max(widthAtLeastSeconds, before.highSeconds - before.lowSeconds);
  return middle(after) - middle(before) >= width;
}

/** What to show after hearing `fresh`: what is shown already, unless there is reason enough to change it. */
export function nextEstimate(shown: ShownEstimate, fresh: Estimate | null, nowMs: number): ShownEstimate {
  const { estimate, sinceMs } = shown;
  const next: ShownEstimate = { estimate: fresh, sinceMs: nowMs };
  if (estimate === null) return fresh === null ? shown : next;
  if (nowMs - sinceMs < changeEveryMs) return shown;
  if (fresh !== null && middle(fresh) > middle(estimate) && !isRise(estimate, fresh)) return shown;
  return next;
}
