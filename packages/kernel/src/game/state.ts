import type { TicketSet } from "../collections/ticket-set.ts";
import { Line } from "../line/line.ts";
import { Roster } from "../room/roster.ts";
import { unusedUntil } from "../room/unused.ts";
import type { Millis } from "../values.ts";
import { Names } from "./names.ts";

/** What was set when the game was created. It never changes. */
export interface GameTerms {
  readonly title: string;
  readonly seats: number;
  readonly waitlist: boolean;
  readonly endsAt: Millis | null;
  /** LS2: places expire after this time without a heartbeat; undefined for never. */
  readonly heartbeatTimeoutMs?: number;
  readonly creator: string;
  readonly createdAt: Millis;
}

/** A game: seats, a line and terms. Everything else is derived from these. */
export interface GameRoom {
  readonly terms: GameTerms;
  readonly roster: Roster;
  readonly names: Names;
  line: Line;
  seated: number;
  /** An index of the roster's seated places. Undefined until first used, because most games never need it. */
  onSeats: TicketSet | undefined;
  endedAt: Millis | undefined;
}

export type GameStatus = "OPEN" | "FULL" | "ENDED";

/** RM6: derived from the counts and the end, never stored. */
export function statusOf(room: GameRoom): GameStatus {
  return statusFrom(room.terms.seats, room.seated, room.endedAt !== undefined);
}

/** For callers that have only an entry or a row of the listing. */
export function statusFrom(seats: number, seated: number, ended: boolean): GameStatus {
  if (ended) return "ENDED";
  return seated < seats ? "OPEN" : "FULL";
}

/** LM7: when the game ends if nobody joins; undefined once somebody has. */
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
