import type { ArenaEvent, Millis } from "@openseat/kernel";
import { decodeEntry, type StreamName } from "@openseat/server";
import type { Membership } from "../cluster/membership.ts";
import type { Ledger } from "../ledger.ts";
import { must } from "../rule.ts";
import type { Life } from "../world.ts";
import type { Arena } from "./arena.ts";

/** World time since the start, and how much of it can be relied on. */
export interface Timing {
  readonly elapsedMs: number;
  /** All faults that affect timing are over by this time. */
  readonly steadyAtMs: number;
  /** False once a wall clock was changed. */
  readonly isClockTrue: boolean;
}

interface Turn {
  readonly sinceMs: number;
  readonly clockMs: number;
  readonly lengthMs: number;
}

/** Time allowed to notice that a turn is over and to write that. */
const promptMs = 1_000;
/** Entry times are whole milliseconds, and entries are written some time after they were decided. */
const roundingMs = 10;

/**
 * AR9 and LS4: checks that a turn lasts its full time, that it gets its full time again after an outage, and that
 * it does end.
 */
export class TurnClocks {
  readonly #ledger: Ledger;
  readonly #membership: Membership | undefined;
  /** Arenas in which the running server has decided something. */
  readonly #entered = new Set<StreamName>();
  /** The server's clock, and its earliest reading since the start. */
  #now: () => number = () => Number.NEGATIVE_INFINITY;
  #startedAt = Number.NEGATIVE_INFINITY;
  /** False once the clock was changed. */
  #isClockTrue = true;
  /** The start of the current turn, the last restart of its clock, and its length. */
  readonly #turns = new Map<StreamName, Turn>();
  /** The last time at which the only server could not use its log. */
  #hinderedMs = Number.NEGATIVE_INFINITY;
  /** Total time by which the clock was set forward since then. */
  #skippedMs = 0;

  constructor(ledger: Ledger, membership: Membership | undefined) {
    this.#ledger = ledger;
    this.#membership = membership;
  }

  /** A new process has started, with this clock. */
  started(now: () => Millis): void {
    this.#entered.clear();
    this.#now = now;
    this.#startedAt = now();
  }

  /** The clock was just changed. */
  clockSet(byMs: number): void {
    this.#startedAt = Math.min(this.#startedAt, this.#now());
    this.#skippedMs += Math.max(0, byMs);
    this.#isClockTrue = false;
  }

  /** A log call just failed or was answered late. */
  hindered(atMs: number): void {
    this.#hinderedMs = atMs;
    this.#skippedMs = 0;
  }

  /** LS4: a new server's first decision in an arena restarts the clock of the player to move. */
  decided(life: Life, stream: StreamName, [line]: readonly string[]): void {
    const { command } = decodeEntry<ArenaEvent>(line);
    const isWanted = this.#membership ? this.#wasAway(life, stream, command) : this.#isFirst(stream);
    const { match } = this.#arena(stream) ?? {};
    if (!match || match.moveBy === null) return;
    if (command === "tick") this.#checkServed(stream, life.world.elapsedMs);
    if (isWanted)
      must(command === "revive", "LS4", `a ${command} in ${stream} came before the clock was restarted`);
  }

  /**
   * AR9: an outage must not cost a player the match, even if the node was not told that the whole service was down.
   */
  #checkServed(stream: StreamName, elapsedMs: number): void {
    const isAway = this.#membership
      ? (this.#arena(stream)?.at ?? 0) < this.#membership.servedSince
      : this.#wasHindered(stream, elapsedMs);
    must(!isAway, "AR9", `a turn in ${stream} ended by a clock that ran while the store was down`);
  }

  /**
   * A changed clock can hide an outage only by as much as it extends the turn. Afterwards the turn still has its
   * full time.
   */
  #wasHindered(stream: StreamName, elapsedMs: number): boolean {
    const { clockMs, lengthMs } = this.#turns.get(stream)!;
    const leftMs = lengthMs - this.#skippedMs - (elapsedMs - this.#hinderedMs);
    return clockMs < this.#hinderedMs - roundingMs && (this.#isClockTrue || leftMs > roundingMs);
  }

  #isFirst(stream: StreamName): boolean {
    const isFirst = !this.#entered.has(stream);
    this.#entered.add(stream);
    const at = this.#arena(stream)?.at ?? 0;
    // After its clock was set back, the server cannot tell its own entries from those dated in between.
    return isFirst && (at < this.#startedAt || at > this.#now());
  }

  /** CL2: nodes restart a clock only after a time without any working node. Otherwise a turn might never end. */
  #wasAway(life: Life, stream: StreamName, command: string): boolean {
    const at = this.#arena(stream)?.at ?? 0;
    const isDue = at < this.#membership!.servedSince;
    const words = `the clock in ${stream} restarted although a node was always running`;
    must(command !== "revive" || isDue, "CL2", words);
    return at < this.#membership!.servedSinceFor(life);
  }

  /** Version `version` has become durable. */
  written(stream: StreamName, version: number, timing: Timing): void {
    const { rooms, entries } = this.#ledger.history(stream);
    this.#checkInTime(stream, rooms[version - 1], timing);
    const before: Arena["match"] | undefined = rooms[version - 1]?.match;
    const after: Arena["match"] = rooms[version].match;
    if (!after || after.moveBy === null) return;
    const { command, at } = entries[version - 1];
    // In a room that is ahead of the clock, the turn may end at its old deadline, because the room's own time stood
    // still.
    if (after.moveBy === before?.moveBy && command !== "revive") return;
    // A revive restarts the same turn's clock. Without an outage it does not move the deadline.
    const isSame = command === "revive" && !this.#isStopped(stream, rooms[version - 1]);
    const begun = isSame ? this.#turns.get(stream)?.sinceMs : undefined;
    const { elapsedMs } = timing;
    const lengthMs = after.moveBy - at;
    this.#turns.set(stream, { sinceMs: begun ?? elapsedMs, clockMs: elapsedMs, lengthMs });
  }

  /** At the end, no overdue turn is left. */
  checkAll(timing: Timing): void {
    for (const stream of this.#ledger.streams) this.#checkInTime(stream, this.#arena(stream), timing);
  }

  #checkInTime(stream: StreamName, arena: Arena | undefined, timing: Timing): void {
    const { elapsedMs, steadyAtMs, isClockTrue } = timing;
    if (!isClockTrue || !arena?.match || arena.match.moveBy === null) return;
    const { sinceMs, clockMs, lengthMs } = this.#turns.get(stream)!;
    // A clock stopped by an outage restarts when the room is next checked, which is at the old deadline.
    const restartedMs = this.#isStopped(stream, arena) ? clockMs + lengthMs + promptMs : sinceMs;
    const lateMs = elapsedMs - Math.max(sinceMs, restartedMs, steadyAtMs) - lengthMs - promptMs;
    must(lateMs <= 0, "AR9", `a turn in ${stream} was still running ${lateMs} ms after its deadline`);
  }

  /** Whether there was an outage since the clock was started. */
  #isStopped(stream: StreamName, arena: Arena | undefined): boolean {
    if (this.#membership) return (arena?.at ?? 0) < this.#membership.servedSince;
    return (this.#turns.get(stream)?.clockMs ?? 0) < this.#hinderedMs;
  }

  #arena(stream: StreamName): Arena | undefined {
    const arena = this.#ledger.history(stream).rooms.at(-1);
    return stream.startsWith("arena/") ? arena : undefined;
  }
}
