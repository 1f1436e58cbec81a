import type { Estimate } from "./state.ts";

/** The estimate on the screen, and when it appeared. */
export interface ShownEstimate {
  readonly estimate: Estimate | null;
  readonly sinceMs: number;
}

/** The estimate must not change faster than people can read it. */
const changeEveryMs = 5_000;

/** The smallest rise to show: without it, a narrow range would let every fluctuation through. */
const widthAtLeastSeconds = 60;

function middle({ lowSeconds, highSeconds }: Estimate): number {
  return (lowSeconds + highSeconds) / 2;
}

/** Whether the wait has grown by more than the width of the previous range. */
export function isRise(before: Estimate | null, after: Estimate | null): boolean {
  if (before === null || after === null) return false;
  const width = Math.max(widthAtLeastSeconds, before.highSeconds - before.lowSeconds);
  return middle(after) - middle(before) >= width;
}

/** The estimate to show after receiving `fresh`: the old one, if the change is too early or too small. */
export function nextEstimate(shown: ShownEstimate, fresh: Estimate | null, nowMs: number): ShownEstimate {
  const { estimate, sinceMs } = shown;
  const next: ShownEstimate = { estimate: fresh, sinceMs: nowMs };
  if (estimate === null) return fresh === null ? shown : next;
  if (nowMs - sinceMs < changeEveryMs) return shown;
  if (fresh !== null && middle(fresh) > middle(estimate) && !isRise(estimate, fresh)) return shown;
  return next;
}
