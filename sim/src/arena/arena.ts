import type { ArenaSettings, ArenaTerms, Ended, Millis } from "@openseat/kernel";
import { unusedUntil } from "../limits.ts";
import type { Table } from "./tables.ts";

/** Someone in the line. */
export interface Challenger {
  readonly ticket: number;
  readonly person: string;
  readonly name: string;
  readonly lane: number;
  readonly enteredAt: Millis;
  /** AR9: matches in a row lost by the clock. */
  readonly timeouts: number;
}

/** Someone on a seat. */
export interface Player extends Omit<Challenger, "enteredAt" | "lane"> {
  readonly since: Millis;
  /** Of two players the one with the smaller has held a seat longer. */
  readonly seating: number;
  readonly streak: number;
}

export interface RunningMatch {
  /** The version of the entry that began it. */
  readonly id: number;
  readonly number: number;
  readonly startedAt: Millis;
  /** Null for a game played elsewhere. */
  readonly table: Table | null;
  readonly moves: number;
  /** MT5: the first is 1. */
  readonly turn: number;
  /** Who has moved, and in which words they asked for it. */
  readonly asked: readonly string[];
  /** Seat, move, milliseconds since the start. */
  readonly played: NonNullable<Ended["played"]>;
  readonly moveBy: Millis | null;
}

export interface FinishedMatch {
  readonly ended: Ended;
  readonly at: Millis;
  /** Of the entry that ended it. */
  readonly version: number;
  readonly table: Table | null;
}

/**
 * An arena as the specification tells it: plain arrays, copied with every entry, with nothing taken over from the
 * kernel but the words. Slow and obvious, so that it can be believed.
 */
export interface Arena {
  readonly terms: ArenaTerms;
  readonly settings: ArenaSettings;
  /** The time of the newest entry. */
  readonly at: Millis;
  /** By label. */
  readonly seats: readonly (Player | null)[];
  /** The front first. */
  readonly line: readonly Challenger[];
  /** So many at the front are never overtaken any more (LN4). */
  readonly settled: number;
  /** How many have been given out. */
  readonly tickets: number;
  readonly seatings: number;
  /** Matches in a row that nobody reported. */
  readonly unreported: number;
  readonly match: RunningMatch | null;
  readonly last: FinishedMatch | null;
  readonly matches: number;
  readonly ended: boolean;
}

/** LM7: when it ends unless somebody joins. */
export function unusedUntilIn({ tickets, terms, ended }: Arena): number | undefined {
  return tickets > 0 || ended ? undefined : unusedUntil(terms);
}

/** AR9, LM7: when it has to be woken next. */
export function dueOf(arena: Arena): Millis | undefined {
  return arena.match?.moveBy ?? (unusedUntilIn(arena) as Millis | undefined);
}

export function statusOf({ match, ended }: Arena): string {
  if (ended) return "ENDED";
  return match ? "PLAYING" : "WAITING";
}

/** Whoever made the arenas, and may change them. */
export const organiser = "organiser";
/** AR10: who may report results. */
export const service = "service";

export function newArena(terms: ArenaTerms, settings: ArenaSettings): Arena {
  const nobody = {
    seats: terms.labels.map(() => null),
    line: [],
    settled: 0,
    tickets: 0,
    seatings: 0,
    unreported: 0,
  };
  return {
    terms,
    settings,
    at: terms.createdAt,
    ...nobody,
    match: null,
    last: null,
    matches: 0,
    ended: false,
  };
}

export function playersIn({ seats }: Pick<Arena, "seats">): readonly Player[] {
  return seats.filter((player) => player !== null);
}

export interface PlaceSeen {
  readonly ticket: number;
  readonly state: "seated" | "waiting";
  readonly label: string | null;
  /** LN5: one more than the number of people ahead. */
  readonly position: number | null;
}

/** RM3: the one place of a person. */
export function placeOf({ seats, line, terms }: Arena, person: string): PlaceSeen | undefined {
  const seat = seats.findIndex((player) => player?.person === person);
  if (seat >= 0)
    return { ticket: seats[seat]!.ticket, state: "seated", label: terms.labels[seat], position: null };
  const ahead = line.findIndex((challenger) => challenger.person === person);
  if (ahead < 0) return undefined;
  return { ticket: line[ahead].ticket, state: "waiting", label: null, position: ahead + 1 };
}

/** Until when a turn that begins now lasts (AR9). */
export function turnFrom({ moveTimeoutMs }: ArenaSettings, at: Millis): Millis | null {
  return moveTimeoutMs === null ? null : ((at + moveTimeoutMs) as Millis);
}
