import type { ArenaAtVersion, ArenaChange } from "@openseat/client";

/**
 * What time it is on the server. The clocks of devices are off by minutes; a turn lasts seconds. Each moment that is
 * heard of has been under way for a while, so the latest reading is the nearest to the truth.
 */
export class ServerClock {
  #offsetMs: number | undefined;

  /** `serverMs` was the server's time a moment ago. */
  heard(serverMs: number, localMs: number): void {
    const offset = serverMs - localMs;
    if (Number.isFinite(offset) && (this.#offsetMs === undefined || offset > this.#offsetMs))
      this.#offsetMs = offset;
  }

  /** Until this moment of the server's, in milliseconds; never below 0. */
  untilMs(moment: string, localMs: number): number {
    return Math.max(0, Date.parse(moment) - localMs - (this.#offsetMs ?? 0));
  }

  nowMs(localMs: number): number {
    return localMs + (this.#offsetMs ?? 0);
  }
}

/** A turn has this little left: it is time to say so. */
export const hurryMs = 10_000;

/** Whether to say that time is short: once, as it becomes so, and not in games where it always is. */
export function isHurryTime(leftMs: number, beforeMs: number, turnMs: number): boolean {
  return turnMs >= 2 * hurryMs && leftMs <= hurryMs && beforeMs > hurryMs;
}

/**
 * The server's time when the newest of these changes was decided, if it can be told: a turn that has just begun has all
 * of its time left.
 */
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
