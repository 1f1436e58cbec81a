import type { Lane } from "../line/lanes.ts";
import { Line } from "../line/line.ts";
import { Precedence } from "../line/precedence.ts";
import { gameNamed, RulesMissing } from "../match/catalogue.ts";
import type { AnyGame, GameOptions, SeatNumber } from "../match/game.ts";
import type { Match } from "../match/match.ts";
import { Roster } from "../room/roster.ts";
import { unusedUntil } from "../room/unused.ts";
import type { Millis, PersonId, TicketNumber } from "../values.ts";
import type { Ended } from "./events.ts";
import { MatchEnds } from "./match-ends.ts";

/** AR6: who leaves their seat after a draw. */
type DrawRule = "longest-leaves" | "rematch" | "both-leave";

/** Settings that may change while the arena runs. */
export interface ArenaSettings {
  readonly title: string;
  /** How many play at once: as many as the game has seats, or at most one per label. */
  readonly seats: number;
  readonly drawRule: DrawRule;
  /** AR7: a player goes to the back after this many wins in a row; null for never. */
  readonly maxWins: number | null;
  /** AR9: how long a turn may take; for games played elsewhere, how long a match may take. Null for no clock. */
  readonly moveTimeoutMs: number | null;
  /** AR8: how long a player without heartbeats keeps the seat; null forever. */
  readonly reconnectGraceMs: number | null;
  /** LS1: a waiting place expires after this time without a heartbeat. */
  readonly heartbeatTimeoutMs: number;
  /** LN8: maximum number of waiting places. */
  readonly lineLengthMax: number;
  /** LN4: people who have waited longer than this are not overtaken. */
  readonly patienceMs: number;
}

/** The ratings that an arena is for: from `from` up to, but not including, `below`; null for no bound. */
export interface Tier {
  readonly name: string;
  readonly from: number | null;
  readonly below: number | null;
}

/** AR12: the ladder on which the arena's matches count. */
export interface RatedTerms {
  readonly ladder: string;
  /** All tiers, by the ids of their arenas; undefined when the arena is not one of several. */
  readonly tiers: readonly (Tier & { readonly arena: string })[];
  /** The index of this arena's tier. */
  readonly tier: number;
}

/** What never changes after the arena was created. */
export interface ArenaTerms {
  /** The name of a game of the catalogue; null for one played elsewhere. */
  readonly game: string | null;
  readonly options: GameOptions;
  readonly labels: readonly string[];
  readonly lanes: readonly Lane[];
  /** MT1: the seed for all random choices in matches. */
  readonly seed: number;
  /** Null for an arena whose matches are not rated. */
  readonly rated: RatedTerms | null;
  readonly creator: string;
  readonly createdAt: Millis;
}

/** What a live place has in addition to the roster's fields. */
export interface Entrant {
  readonly person: PersonId;
  readonly name: string;
  readonly lane: number;
  /** Matches in a row that this person has lost by the clock. */
  readonly timeouts: number;
}

/** A player on a seat. */
export interface Player {
  readonly ticket: TicketNumber;
  readonly person: PersonId;
  readonly name: string;
  readonly since: Millis;
  /** The number of this seating. Of two players, the one with the smaller number has held a seat longer. */
  readonly seating: number;
  readonly streak: number;
  readonly timeouts: number;
}

/** The version of the entry that began the match, so that its id alone finds it in the log. */
export type MatchId = number & { readonly brand: "match" };

export interface RunningMatch {
  readonly id: MatchId;
  /** The first match of the arena is 1. */
  readonly number: number;
  readonly startedAt: Millis;
  /** Undefined for a game played elsewhere. */
  readonly play: Match | undefined;
  /** For each move, milliseconds since the start. */
  readonly moveTimes: number[];
  moveBy: Millis | null;
}

/** A finished match, and the version of the entry that ended it. */
export interface FinishedMatch {
  readonly ended: Ended;
  readonly version: number;
  readonly at: Millis;
  readonly play: Match | undefined;
}

/** An arena: labelled seats whose winner stays, and a line of challengers. */
export interface ArenaRoom {
  readonly terms: ArenaTerms;
  readonly game: AnyGame | undefined;
  settings: ArenaSettings;
  readonly roster: Roster;
  line: Line;
  readonly precedence: Precedence;
  /** Every live place, by ticket. */
  readonly entrants: Map<TicketNumber, Entrant>;
  /** By label. A seat holds at most one player (AR2). */
  readonly seats: (Player | undefined)[];
  match: RunningMatch | undefined;
  last: FinishedMatch | undefined;
  readonly ends: MatchEnds;
  /** How many matches there have been, including the current one. */
  matches: number;
  seatings: number;
  /** Matches in a row that were not reported in time. */
  unreported: number;
  endedAt: Millis | undefined;
}

export type ArenaStatus = "WAITING" | "PLAYING" | "ENDED";

/** RM6: derived, never stored. */
export function arenaStatusOf(room: ArenaRoom): ArenaStatus {
  if (room.endedAt !== undefined) return "ENDED";
  return room.match ? "PLAYING" : "WAITING";
}

/**
 * LM7: when the arena ends if nobody joins; undefined once somebody has. A tier without players does not expire,
 * because it belongs to a group of arenas that others use.
 */
export function unusedUntilIn({ roster, terms, endedAt }: ArenaRoom): Millis | undefined {
  const isTier = (terms.rated?.tiers.length ?? 0) > 0;
  return roster.tickets > 0 || isTier || endedAt !== undefined ? undefined : unusedUntil(terms);
}

export function seatedIn(room: { readonly seats: readonly (Player | undefined)[] }): number {
  return room.seats.reduce((sum, player) => sum + (player ? 1 : 0), 0);
}

export function seatOf(room: ArenaRoom, ticket: TicketNumber): SeatNumber {
  return room.seats.findIndex((player) => player?.ticket === ticket);
}

export function gameOf(terms: ArenaTerms): AnyGame | undefined {
  if (terms.game === null) return undefined;
  const game = gameNamed(terms.game);
  if (game === undefined) throw new RulesMissing(terms.game);
  return game;
}

export function newArena(terms: ArenaTerms, settings: ArenaSettings): ArenaRoom {
  return {
    terms,
    settings,
    game: gameOf(terms),
    roster: new Roster(),
    line: new Line(),
    precedence: new Precedence(terms.lanes),
    entrants: new Map(),
    seats: terms.labels.map(() => undefined),
    match: undefined,
    last: undefined,
    ends: new MatchEnds(),
    matches: 0,
    seatings: 0,
    unreported: 0,
    endedAt: undefined,
  };
}

/** The room's fields that the order of the line depends on. */
export function peopleIn(room: ArenaRoom) {
  const laneOf = (ticket: TicketNumber) => room.entrants.get(ticket)!.lane;
  return { line: room.line, roster: room.roster, particulars: { laneOf } };
}
