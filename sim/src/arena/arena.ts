import type { ArenaSettings, ArenaTerms, Ended, Millis } from "@openseat/kernel";
import { unusedUntil } from "../limits.ts";
import type { Table } from "./tables.ts";

/** A person in the line. */
export interface Challenger {
  readonly ticket: number;
  readonly person: string;
  readonly name: string;
  readonly lane: number;
  readonly enteredAt: Millis;
  /** AR9: consecutive matches lost on time. */
  readonly timeouts: number;
}

/** A person on a seat. */
export interface Player extends Omit<Challenger, "enteredAt" | "lane"> {
  readonly since: Millis;
  /** Of two players, the one with the smaller number has been seated longer. */
  readonly seating: number;
  readonly streak: number;
}

export interface RunningMatch {
  /** The version of the entry that started the match. */
  readonly id: number;
  readonly number: number;
  readonly startedAt: Millis;
  /** Null for an external game. */
  readonly table: Table | null;
  readonly moves: number;
  /** MT5: turns are numbered from 1. */
  readonly turn: number;
  /** Each move's player and command text. */
  readonly asked: readonly string[];
  /** Seat, move and milliseconds since the start. */
  readonly played: NonNullable<Ended["played"]>;
  readonly moveBy: Millis | null;
}

export interface FinishedMatch {
  readonly ended: Ended;
  readonly at: Millis;
  /** The version of the entry that ended the match. */
  readonly version: number;
  readonly table: Table | null;
}

/**
 * An arena as the specification describes it: plain arrays, copied for every entry. It shares only type names with
 * the kernel, so that a kernel bug cannot hide here.
 */
export interface Arena {
  readonly terms: ArenaTerms;
  readonly settings: ArenaSettings;
  /** The time of the newest entry. */
  readonly at: Millis;
  /** Indexed by label. */
  readonly seats: readonly (Player | null)[];
  /** Front first. */
  readonly line: readonly Challenger[];
  /** The first `settled` people can no longer be overtaken (LN4). */
  readonly settled: number;
  /** Tickets issued so far. */
  readonly tickets: number;
  readonly seatings: number;
  /** Consecutive matches without a report. */
  readonly unreported: number;
  readonly match: RunningMatch | null;
  readonly last: FinishedMatch | null;
  readonly matches: number;
  readonly ended: boolean;
}

/** LM7: the time at which an unused arena ends. */
export function unusedUntilIn({ tickets, terms, ended }: Arena): number | undefined {
  return tickets > 0 || ended ? undefined : unusedUntil(terms);
}

/** AR9, LM7: the next time at which the arena has work to do. */
export function dueOf(arena: Arena): Millis | undefined {
  return arena.match?.moveBy ?? (unusedUntilIn(arena) as Millis | undefined);
}

export function statusOf({ match, ended }: Arena): string {
  if (ended) return "ENDED";
  return match ? "PLAYING" : "WAITING";
}

/** Creates the arenas and may configure them. */
export const organiser = "organiser";
/** AR10: may report results. */
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

/** RM3: the person's only place. */
export function placeOf({ seats, line, terms }: Arena, person: string): PlaceSeen | undefined {
  const seat = seats.findIndex((player) => player?.person === person);
  if (seat >= 0)
    return { ticket: seats[seat]!.ticket, state: "seated", label: terms.labels[seat], position: null };
  const ahead = line.findIndex((challenger) => challenger.person === person);
  if (ahead < 0) return undefined;
  return { ticket: line[ahead].ticket, state: "waiting", label: null, position: ahead + 1 };
}

/** The deadline of a turn that starts now (AR9). */
export function turnFrom({ moveTimeoutMs }: ArenaSettings, at: Millis): Millis | null {
  return moveTimeoutMs === null ? null : ((at + moveTimeoutMs) as Millis);
}
