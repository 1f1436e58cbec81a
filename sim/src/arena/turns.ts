import type { ArenaEvent, Millis } from "@openseat/kernel";
import { decodeEntry, type StreamName } from "@openseat/server";
import type { Roll } from "../cluster/roll.ts";
import type { Ledger } from "../ledger.ts";
import { must } from "../rule.ts";
import type { Life } from "../world.ts";
import type { Arena } from "./arena.ts";

/** When the server began, and when it last had to begin anew, in the world's own time. */
export interface Course {
  readonly elapsedMs: number;
  /** By then everything goes its way again. */
  readonly steadyAtMs: number;
  /** Whether the clock on the wall was ever set. */
  readonly isClockTrue: boolean;
}

interface Turn {
  readonly sinceMs: number;
  readonly clockMs: number;
  readonly lengthMs: number;
}

/** To notice that a turn is over, and to write it. */
const promptMs = 1_000;
/** Entries have whole milliseconds, and are written some time after they were decided. */
const roundingMs = 10;

/** AR9 and LS4: a turn lasts as long as it should, and as long again after the server was away; but not for ever. */
export class Turns {
  readonly #ledger: Ledger;
  readonly #roll: Roll | undefined;
  /** Where the server that runs now has decided something. */
  readonly #entered = new Set<StreamName>();
  /** What the clock of the server says, and the earliest that it has said since the start. */
  #now: () => number = () => Number.NEGATIVE_INFINITY;
  #startedAt = Number.NEGATIVE_INFINITY;
  /** Whether the clock was ever set. */
  #isClockTrue = true;
  /** When the turn began that is on, when its clock was last started, and how long it may last. */
  readonly #turns = new Map<StreamName, Turn>();
  /** When the only server could last not use its log. */
  #hinderedMs = Number.NEGATIVE_INFINITY;
  /** By how much its clock was set forward since, in all. */
  #skippedMs = 0;

  constructor(ledger: Ledger, roll: Roll | undefined) {
    this.#ledger = ledger;
    this.#roll = roll;
  }

  /** Another process, on a machine whose clock says this. */
  started(now: () => Millis): void {
    this.#entered.clear();
    this.#now = now;
    this.#startedAt = now();
  }

  /** Its clock was set just now. */
  clockSet(byMs: number): void {
    this.#startedAt = Math.min(this.#startedAt, this.#now());
    this.#skippedMs += Math.max(0, byMs);
    this.#isClockTrue = false;
  }

  /** A call of its log has failed just now, or was answered late. */
  hindered(atMs: number): void {
    this.#hinderedMs = atMs;
    this.#skippedMs = 0;
  }

  /** The first thing that a server decides in an arena is that whoever has to move has all of their time. */
  decided(life: Life, stream: StreamName, [line]: readonly string[]): void {
    const { command } = decodeEntry<ArenaEvent>(line);
    const isWanted = this.#roll ? this.#wasAway(life, stream, command) : this.#isFirst(stream);
    const { match } = this.#arena(stream) ?? {};
    if (!match || match.moveBy === null) return;
    if (command === "tick") this.#checkServed(stream, life.world.elapsedMs);
    if (isWanted)
      must(command === "revive", "LS4", `a ${command} in ${stream} came before the clock began anew`);
  }

  /** Nobody forfeits by an outage, and by an outage of the whole service also if the node has not been told of it. */
  #checkServed(stream: StreamName, elapsedMs: number): void {
    const isAway = this.#roll
      ? (this.#arena(stream)?.at ?? 0) < this.#roll.servedSince
      : this.#wasHindered(stream, elapsedMs);
    must(!isAway, "AR9", `a turn in ${stream} ended by a clock that ran while the store was away`);
  }

  /** A clock that was set may hide an outage, but only by as much as it makes the turn longer: all of its time is left after that. */
  #wasHindered(stream: StreamName, elapsedMs: number): boolean {
    const { clockMs, lengthMs } = this.#turns.get(stream)!;
    const leftMs = lengthMs - this.#skippedMs - (elapsedMs - this.#hinderedMs);
    return clockMs < this.#hinderedMs - roundingMs && (this.#isClockTrue || leftMs > roundingMs);
  }

  #isFirst(stream: StreamName): boolean {
    const isFirst = !this.#entered.has(stream);
    this.#entered.add(stream);
    const at = this.#arena(stream)?.at ?? 0;
    // After its clock was set back, the server cannot tell what is dated in between from what it has written itself.
    return isFirst && (at < this.#startedAt || at > this.#now());
  }

  /** Among several nodes it has to, and may, only when no node could use the log: else a clock would never run out. */
  #wasAway(life: Life, stream: StreamName, command: string): boolean {
    const at = this.#arena(stream)?.at ?? 0;
    const isDue = at < this.#roll!.servedSince;
    const words = `the clock in ${stream} began anew, and there has always been a node`;
    must(command !== "revive" || isDue, "CL2", words);
    return at < this.#roll!.servedSinceFor(life);
  }

  /** Version `version` has become durable. */
  written(stream: StreamName, version: number, course: Course): void {
    const { rooms, entries } = this.#ledger.history(stream);
    this.#checkInTime(stream, rooms[version - 1], course);
    const before: Arena["match"] | undefined = rooms[version - 1]?.match;
    const after: Arena["match"] = rooms[version].match;
    if (!after || after.moveBy === null) return;
    const { command, at } = entries[version - 1];
    // In a room that is ahead of the clock the turn may end at the time that it had before: its own time has stood still.
    if (after.moveBy === before?.moveBy && command !== "revive") return;
    // The same turn, with all of its time again; but without an outage that is no reason for another end.
    const isSame = command === "revive" && !this.#isStopped(stream, rooms[version - 1]);
    const begun = isSame ? this.#turns.get(stream)?.sinceMs : undefined;
    const { elapsedMs } = course;
    const lengthMs = after.moveBy - at;
    this.#turns.set(stream, { sinceMs: begun ?? elapsedMs, clockMs: elapsedMs, lengthMs });
  }

  /** In the end, no turn is left that is over. */
  checkAll(course: Course): void {
    for (const stream of this.#ledger.streams) this.#checkInTime(stream, this.#arena(stream), course);
  }

  #checkInTime(stream: StreamName, arena: Arena | undefined, course: Course): void {
    const { elapsedMs, steadyAtMs, isClockTrue } = course;
    if (!isClockTrue || !arena?.match || arena.match.moveBy === null) return;
    const { sinceMs, clockMs, lengthMs } = this.#turns.get(stream)!;
    // A clock that an outage has stopped restarts when the room is next looked at, which is at the end that the turn had.
    const restartedMs = this.#isStopped(stream, arena) ? clockMs + lengthMs + promptMs : sinceMs;
    const lateMs = elapsedMs - Math.max(sinceMs, restartedMs, steadyAtMs) - lengthMs - promptMs;
    must(lateMs <= 0, "AR9", `a turn in ${stream} was not over ${lateMs} ms after its time`);
  }

  /** There was an outage since the clock was started. */
  #isStopped(stream: StreamName, arena: Arena | undefined): boolean {
    if (this.#roll) return (arena?.at ?? 0) < this.#roll.servedSince;
    return (this.#turns.get(stream)?.clockMs ?? 0) < this.#hinderedMs;
  }

  #arena(stream: StreamName): Arena | undefined {
    const arena = this.#ledger.history(stream).rooms.at(-1);
    return stream.startsWith("arena/") ? arena : undefined;
  }
}
