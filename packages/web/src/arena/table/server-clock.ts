import type { ArenaAtVersion, ArenaChange } from "@openseat/client";

/**
 * Estimates the server's time, because device clocks are off by minutes and a turn lasts seconds. Every server time
 * arrives late by its network delay, so the largest offset seen is the most accurate.
 */
export class ServerClock {
  #offsetMs: number | undefined;

  /** Learns from a server time that has just arrived. */
  sync(serverMs: number, localMs: number): void {
    const offset = serverMs - localMs;
    if (Number.isFinite(offset) && (this.#offsetMs === undefined || offset > this.#offsetMs))
      this.#offsetMs = offset;
  }

  /** Milliseconds until this server time; never below 0. */
  untilMs(moment: string, localMs: number): number {
    return Math.max(0, Date.parse(moment) - localMs - (this.#offsetMs ?? 0));
  }

  nowMs(localMs: number): number {
    return localMs + (this.#offsetMs ?? 0);
  }
}

/** Warn a player when this much of a turn is left. */
export const hurryMs = 10_000;

/** Whether to warn now: once per turn, and not in games with very short turns. */
export function isHurryTime(leftMs: number, beforeMs: number, turnMs: number): boolean {
  return turnMs >= 2 * hurryMs && leftMs <= hurryMs && beforeMs > hurryMs;
}

/** The server time of the newest change, if it started a turn: a new turn has all of its time left. */
export function momentOf(
  { arena, state }: ArenaAtVersion,
  changes: readonly ArenaChange[],
): number | undefined {
  const isFresh = changes.some(({ type }) => beginnings.has(type));
  const moveBy = state.match?.moveBy;
  if (!isFresh || !moveBy || arena.moveTimeoutSeconds === null) return undefined;
  return Date.parse(moveBy) - arena.moveTimeoutSeconds * 1_000;
}

const beginnings: ReadonlySet<ArenaChange["type"]> = new Set(["moved", "match-started", "clock-restarted"]);
