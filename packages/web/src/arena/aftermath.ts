import type { ArenaAtVersion, MatchResult, Sight } from "@openseat/client";

/** How long the end of a match is told. */
const toldMs = 6_000;
/** How long its last table stays on the board while the next match has begun. */
const tableMs = 3_500;

/** A match that has just ended. */
export interface Aftermath {
  readonly match: MatchResult;
  readonly endedAtMs: number;
}

/** The end of a match, from the view in which it is first seen; not that of one that was over before one came. */
export function aftermathIn(
  before: ArenaAtVersion | undefined,
  { state }: ArenaAtVersion,
  nowMs: number,
): Aftermath | undefined {
  const { lastMatch } = state;
  const isNew = before !== undefined && lastMatch !== null && lastMatch.id !== before.state.lastMatch?.id;
  return isNew ? { match: lastMatch, endedAtMs: nowMs } : undefined;
}

export function isTold(aftermath: Aftermath | undefined, nowMs: number): aftermath is Aftermath {
  return aftermath !== undefined && nowMs - aftermath.endedAtMs < toldMs;
}

export function isYourTurn({ state: { you, match } }: ArenaAtVersion): boolean {
  return match?.toMove.some((label) => label === you?.label) ?? false;
}

/** What lies on the board. */
export interface Table {
  readonly sight: Sight | null;
  /** Of the match that is over, rather than of the one that is on. */
  readonly isLast: boolean;
}

/** The last table stays for a moment; never while it is the viewer's turn, who needs the new one. */
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

/** What there is to tell in words: of the match before for a moment, until there is something of the new one. */
export function wordsShown(view: ArenaAtVersion, aftermath: Aftermath | undefined, nowMs: number): Table {
  const { match, lastSight } = view.state;
  const isNews = (match?.sight?.notes.length ?? 0) > 0;
  if (!isNews && lastSight !== null && isTold(aftermath, nowMs)) return { sight: lastSight, isLast: true };
  return tableShown(view, aftermath, nowMs);
}

/** When what is shown changes by itself next; undefined when it does not. */
export function nextChangeAtMs(aftermath: Aftermath | undefined, nowMs: number): number | undefined {
  if (!aftermath) return undefined;
  return [tableMs, toldMs].map((ms) => aftermath.endedAtMs + ms).find((at) => at > nowMs);
}

/** A second click on the cell that won must not be the first move of the next match. */
const settleMs = 400;
export function isSettled(matchSinceMs: number, nowMs: number): boolean {
  return nowMs - matchSinceMs >= settleMs;
}
