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

/** AR6: who leaves after a draw. */
type DrawRule = "longest-leaves" | "rematch" | "both-leave";

/** What may be changed while the arena runs. */
export interface ArenaSettings {
  readonly title: string;
  /** How many play at once: as many as the game has seats, or at most as many as there are labels. */
  readonly seats: number;
  readonly drawRule: DrawRule;
  /** AR7: after so many wins in a row a player goes to the back too; null for never. */
  readonly maxWins: number | null;
  /** AR9: how long a turn may take; for games played elsewhere, how long a match may. Null for no clock. */
  readonly moveTimeoutMs: number | null;
  /** AR8: how long a player who is not heard of keeps the seat; null for ever. */
  readonly reconnectGraceMs: number | null;
  /** LS1: a waiting place not heard of for so long expires. */
  readonly heartbeatTimeoutMs: number;
  /** LN8: waiting places at most. */
  readonly lineLengthMax: number;
  /** LN4: nobody who has waited longer is overtaken. */
  readonly patienceMs: number;
}

/** Whom an arena is for, by their rating on its ladder: from so much, and below so much; null for no bound. */
export interface Tier {
  readonly name: string;
  readonly from: number | null;
  readonly below: number | null;
}

/** AR12: the ladder on which the matches of an arena count. */
export interface RatedTerms {
  readonly ladder: string;
  /** All the tiers, by the ids of their arenas, when the arena is one of several; else none. */
  readonly tiers: readonly (Tier & { readonly arena: string })[];
  /** Which of them it is. */
  readonly tier: number;
}

/** What never changes after the arena was made. */
export interface ArenaTerms {
  /** Of the catalogue, by its name; null for one that is played elsewhere. */
  readonly game: string | null;
  readonly options: GameOptions;
  readonly labels: readonly string[];
  readonly lanes: readonly Lane[];
  /** Chance in matches comes from here (MT1). */
  readonly seed: number;
  /** Null for an arena whose matches count nowhere. */
  readonly rated: RatedTerms | null;
  readonly creator: string;
  readonly createdAt: Millis;
}

/** What is known of a live place besides what every place has. */
export interface Entrant {
  readonly person: PersonId;
  readonly name: string;
  readonly lane: number;
  /** Matches in a row that this person lost by the clock. */
  readonly timeouts: number;
}

/** Who sits on a seat. */
export interface Player {
  readonly ticket: TicketNumber;
  readonly person: PersonId;
  readonly name: string;
  readonly since: Millis;
  /** The number of this seating: of two players the one with the smaller has held a seat longer. */
  readonly seating: number;
  readonly streak: number;
  readonly timeouts: number;
}

/** The version of the entry that began it: so a match can be found in the log by its id alone. */
export type MatchId = number & { readonly brand: "match" };

export interface RunningMatch {
  readonly id: MatchId;
  /** The first of the arena is 1. */
  readonly number: number;
  readonly startedAt: Millis;
  /** Undefined for a game that is played elsewhere. */
  readonly play: Match | undefined;
  /** Of each move: milliseconds since the start. */
  readonly moveTimes: number[];
  moveBy: Millis | null;
}

/** A match that is over, and the version of the entry that ended it. */
export interface FinishedMatch {
  readonly ended: Ended;
  readonly version: number;
  readonly at: Millis;
  readonly play: Match | undefined;
}

/** Labelled seats whose winner stays, and a line of challengers. */
export interface ArenaRoom {
  readonly terms: ArenaTerms;
  readonly game: AnyGame | undefined;
  settings: ArenaSettings;
  readonly roster: Roster;
  line: Line;
  readonly precedence: Precedence;
  /** Of every live place, by ticket. */
  readonly entrants: Map<TicketNumber, Entrant>;
  /** By label. A seat holds one player, and that is AR2. */
  readonly seats: (Player | undefined)[];
  match: RunningMatch | undefined;
  last: FinishedMatch | undefined;
  readonly ends: MatchEnds;
  /** How many there have been, the one that is on included. */
  matches: number;
  seatings: number;
  /** Matches in a row that nobody reported in time. */
  unreported: number;
  endedAt: Millis | undefined;
}

export type ArenaStatus = "WAITING" | "PLAYING" | "ENDED";

/** RM6: derived, never stored beside what it follows from. */
export function arenaStatusOf(room: ArenaRoom): ArenaStatus {
  if (room.endedAt !== undefined) return "ENDED";
  return room.match ? "PLAYING" : "WAITING";
}

/**
 * LM7: when it ends unless somebody joins; undefined once somebody has. A tier that nobody is good enough for yet is part of an
 * arena that others play in.
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

/** The room as the order of its line needs it. */
export function peopleIn(room: ArenaRoom) {
  const laneOf = (ticket: TicketNumber) => room.entrants.get(ticket)!.lane;
  return { line: room.line, roster: room.roster, particulars: { laneOf } };
}
