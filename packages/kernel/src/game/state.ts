import type { TicketSet } from "../collections/ticket-set.ts";
import { Line } from "../line/line.ts";
import { Roster } from "../room/roster.ts";
import { unusedUntil } from "../room/unused.ts";
import type { Millis } from "../values.ts";
import { Names } from "./names.ts";

/** What was agreed when the room was made. A game's terms never change. */
export interface GameTerms {
  readonly title: string;
  readonly seats: number;
  readonly waitlist: boolean;
  readonly endsAt: Millis | null;
  /** LS2: a place of which nothing is heard for so long expires; undefined for never. */
  readonly heartbeatTimeoutMs?: number;
  readonly creator: string;
  readonly createdAt: Millis;
}

/** Seats, a line, and what was agreed. Everything else one may want to know is derived from these. */
export interface GameRoom {
  readonly terms: GameTerms;
  readonly roster: Roster;
  readonly names: Names;
  line: Line;
  seated: number;
  /** The roster has them among all who ever came. Undefined until somebody wants to know: most games are never asked. */
  onSeats: TicketSet | undefined;
  endedAt: Millis | undefined;
}

export type GameStatus = "OPEN" | "FULL" | "ENDED";

/** RM6: derived from the counts and the end, never stored beside them. */
export function statusOf(room: GameRoom): GameStatus {
  return statusFrom(room.terms.seats, room.seated, room.endedAt !== undefined);
}

/** For those who know a room only by an entry or a line of the list. */
export function statusFrom(seats: number, seated: number, ended: boolean): GameStatus {
  if (ended) return "ENDED";
  return seated < seats ? "OPEN" : "FULL";
}

/** LM7: when it ends unless somebody joins; undefined once somebody has. */
export function unusedUntilIn({ roster, terms }: GameRoom): Millis | undefined {
  return roster.tickets > 0 ? undefined : unusedUntil(terms);
}

export function newGame(terms: GameTerms): GameRoom {
  return {
    terms,
    roster: new Roster(),
    names: new Names(),
    line: new Line(),
    seated: 0,
    onSeats: undefined,
    endedAt: undefined,
  };
}
