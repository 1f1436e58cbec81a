import type { ArenaAtVersion, MatchResult, Sight } from "@openseat/client";

/** How long the result of a match stays in the headline. */
const resultMs = 6_000;
/** How long the final position stays on the board after the next match has started. */
const tableMs = 3_500;

/** A match that has just ended. */
export interface Aftermath {
  readonly match: MatchResult;
  readonly endedAtMs: number;
}

/** The match that ended between `before` and this view. A match that had ended before the first view is not news. */
export function aftermathIn(
  before: ArenaAtVersion | undefined,
  { state }: ArenaAtVersion,
  nowMs: number,
): Aftermath | undefined {
  const { lastMatch } = state;
  const isNew = before !== undefined && lastMatch !== null && lastMatch.id !== before.state.lastMatch?.id;
  return isNew ? { match: lastMatch, endedAtMs: nowMs } : undefined;
}

export function isResultShown(aftermath: Aftermath | undefined, nowMs: number): aftermath is Aftermath {
  return aftermath !== undefined && nowMs - aftermath.endedAtMs < resultMs;
}

export function isYourTurn({ state: { you, match } }: ArenaAtVersion): boolean {
  return match?.toMove.some((label) => label === you?.label) ?? false;
}

/** The position that the board shows. */
export interface Table {
  readonly sight: Sight | null;
  /** True for the final position of the last match, false for the running match. */
  readonly isLast: boolean;
}

/** Keeps the final position for a moment, but never during the viewer's turn: they need the new board. */
export function tableShown(view: ArenaAtVersion, aftermath: Aftermath | undefined, nowMs: number): Table {
  const { match, lastSight } = view.state;
  if (!match) return { sight: lastSight, isLast: lastSight !== null };
  const isHeld =
    aftermath !== undefined &&
    lastSight !== null &&
    nowMs - aftermath.endedAtMs < tableMs &&
    !isYourTurn(view);
  return isHeld ? { sight: lastSight, isLast: true } : { sight: match.sight, isLast: false };
}

/** The position whose rounds and notes are listed: the last match for a moment, until the new one has notes. */
export function wordsShown(view: ArenaAtVersion, aftermath: Aftermath | undefined, nowMs: number): Table {
  const { match, lastSight } = view.state;
  const isNews = (match?.sight?.notes.length ?? 0) > 0;
  if (!isNews && lastSight !== null && isResultShown(aftermath, nowMs))
    return { sight: lastSight, isLast: true };
  return tableShown(view, aftermath, nowMs);
}

/** When the display changes next without a new view; undefined if it does not. */
export function nextChangeAtMs(aftermath: Aftermath | undefined, nowMs: number): number | undefined {
  if (!aftermath) return undefined;
  return [tableMs, resultMs].map((ms) => aftermath.endedAtMs + ms).find((at) => at > nowMs);
}

/** A second click on the cell that won must not be the first move of the next match. */
const settleMs = 400;
export function isSettled(matchSinceMs: number, nowMs: number): boolean {
  return nowMs - matchSinceMs >= settleMs;
}
