import { Line } from "../line/line.ts";
import type { Millis } from "../values.ts";
import { Roster } from "./roster.ts";

export const roomLimits = {
  seatsMax: 1_000_000,
  /** Waiting places in one line. */
  lineLengthMax: 1_000_000,
  /** Places in the whole life of a room, those that were left again included. */
  ticketsMax: 4_194_304,
} as const;

/** What was agreed when the room was made. A game's terms never change. */
export interface RoomTerms {
  readonly title: string;
  readonly seats: number;
  readonly waitlist: boolean;
  readonly endsAt: Millis | null;
  readonly creator: string;
  readonly createdAt: Millis;
}

/** Seats, a line, and what was agreed. Everything else one may want to know is derived from these. */
export interface Room {
  readonly terms: RoomTerms;
  readonly roster: Roster;
  line: Line;
  seated: number;
  endedAt: Millis | undefined;
}

export type RoomStatus = "OPEN" | "FULL" | "ENDED";

/** RM6: derived from the counts and the end, never stored beside them. */
export function statusOf(room: Room): RoomStatus {
  return statusFrom(room.terms.seats, room.seated, room.endedAt !== undefined);
}

/** For those who know a room only by an entry or a line of the list. */
export function statusFrom(seats: number, seated: number, ended: boolean): RoomStatus {
  if (ended) return "ENDED";
  return seated < seats ? "OPEN" : "FULL";
}

export function newRoom(terms: RoomTerms): Room {
  return { terms, roster: new Roster(), line: new Line(), seated: 0, endedAt: undefined };
}
