import type { Sight } from "../match/game.ts";
import type { PersonId, TicketNumber } from "../values.ts";
import type { ArenaRoom } from "./state.ts";

export interface ArenaPlace {
  readonly ticket: TicketNumber;
  readonly state: "seated" | "waiting";
  /** The label of the seat; null in the line. */
  readonly label: string | null;
  /** LN5: one more than the number of people ahead; null on a seat. */
  readonly position: number | null;
}

/** RM3: the person's live place, if there is one. */
export function placeIn(room: ArenaRoom, person: PersonId): ArenaPlace | undefined {
  if (room.endedAt !== undefined) return undefined;
  const seat = room.seats.findIndex((player) => player?.person === person);
  if (seat >= 0) {
    const { ticket } = room.seats[seat]!;
    return { ticket, state: "seated", label: room.terms.labels[seat], position: null };
  }
  const ticket = room.roster.liveTicket(person);
  return ticket && { ticket, state: "waiting", label: null, position: room.line.rank(ticket) };
}

/** The moves that a person can make now. */
export function movesOf(room: ArenaRoom, person: PersonId): readonly string[] {
  const seat = room.seats.findIndex((player) => player?.person === person);
  return seat < 0 ? [] : (room.match?.play?.legal(seat) ?? []);
}

/** MT3: the current match as this person may see it; without a person, as everyone may. */
export function sightIn(room: ArenaRoom, person: PersonId | undefined): Sight | undefined {
  const seat = person === undefined ? -1 : room.seats.findIndex((player) => player?.person === person);
  return room.match?.play?.sight(seat < 0 ? undefined : seat);
}

/** The first places of the line, in order. */
export function frontOf(
  room: ArenaRoom,
  max: number,
): { readonly person: PersonId; readonly name: string }[] {
  const people = [];
  for (let rank = 1; rank <= Math.min(max, room.line.length); rank++) {
    const { person, name } = room.entrants.get(room.line.at(rank)!)!;
    people.push({ person, name });
  }
  return people;
}
