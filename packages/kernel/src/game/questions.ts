import { TicketSet } from "../collections/ticket-set.ts";
import type { Refusal } from "../refusals.ts";
import { roomLimits } from "../room/limits.ts";
import type { Place } from "../room/roster.ts";
import type { Millis, PersonId, TicketNumber } from "../values.ts";
import { alreadyJoined, cannotJoinEnded } from "./refusals.ts";
import type { GameRoom } from "./state.ts";

/** The person's place, if they have one: waiting, seated, or seated when the room ended. */
export function placeOf(room: GameRoom, person: PersonId): Place | undefined {
  const live = room.roster.livePlace(person);
  const place = live && asOfEnd(room, live);
  return place?.state === "left" ? undefined : place;
}

/** LS2: the place that expires without heartbeats; undefined in games without a timeout. */
export function leasedTicketOf(room: GameRoom, person: PersonId): TicketNumber | undefined {
  const isLeased = room.terms.heartbeatTimeoutMs !== undefined && room.endedAt === undefined;
  return isLeased ? room.roster.liveTicket(person) : undefined;
}

/** LN5: one more than the number of people ahead; 0 for a place that is not waiting. */
export function positionOf(room: GameRoom, ticket: TicketNumber): number {
  return room.line.rank(ticket);
}

/** Places by ticket, after `after`. The order is stable, so paging works while people come and go. */
export function placesAfter(room: GameRoom, after: number, limit: number): Place[] {
  const last = Math.min(room.roster.tickets, after + limit);
  const places: Place[] = [];
  for (let ticket = after + 1; ticket <= last; ticket++) {
    places.push(asOfEnd(room, room.roster.place(ticket as TicketNumber)));
  }
  return places;
}

/** Places of people who are in the game now. Seats are given in ticket order, so waiting people have later tickets. */
export function presentAfter(room: GameRoom, after: number, limit: number): Place[] {
  const places: Place[] = [];
  if (room.endedAt !== undefined) return places;
  for (const tickets of [seatedIn(room).after(after), room.line])
    for (const ticket of tickets) {
      if (places.length === limit) return places;
      if (ticket > after) places.push(room.roster.place(ticket));
    }
  return places;
}

/** The seated people, by ticket. Built on first use and kept up to date from then on. */
export function seatedIn(room: GameRoom): TicketSet {
  if (room.onSeats === undefined) {
    room.onSeats = new TicketSet();
    for (let ticket = 1 as TicketNumber; ticket <= room.roster.tickets; ticket++)
      if (room.roster.stateOf(ticket) === "active") room.onSeats.add(ticket);
  }
  return room.onSeats;
}

/**
 * Every reason why the person cannot join, most serious first (GM2, GM5). Joining is refused for the first one;
 * `can-join` shows all of them.
 */
export function obstaclesToJoining(room: GameRoom, person: PersonId): Refusal[] {
  const obstacles: Refusal[] = [];
  if (room.endedAt !== undefined) obstacles.push(cannotJoinEnded);
  const place = placeOf(room, person);
  if (place) obstacles.push(alreadyThere(room, place));
  const full = fullness(room);
  if (full) obstacles.push(full);
  if (room.roster.tickets >= roomLimits.ticketsMax) {
    obstacles.push({
      code: "room.tickets-exhausted",
      message: `This game has reached its limit of ${roomLimits.ticketsMax} tickets. Please create a new one.`,
    });
  }
  return obstacles;
}

function alreadyThere(room: GameRoom, place: Place): Refusal {
  const position = positionOf(room, place.ticket);
  return {
    code: "place.exists",
    message:
      place.state === "waiting"
        ? `You are already waiting for this game: position ${position} of ${room.line.length}.`
        : alreadyJoined,
    data: { joinedAt: place.enteredAt, ...(position > 0 && { yourPosition: position }) },
  };
}

function fullness(room: GameRoom): Refusal | undefined {
  const { seats, waitlist } = room.terms;
  if (room.seated < seats) return undefined;
  const data = { currentPlayers: room.seated, maxPlayers: seats, availableSlots: seats - room.seated };
  if (!waitlist) return { code: "room.full", message: "Game is full", data };
  if (room.line.length < roomLimits.lineLengthMax) return undefined;
  return {
    code: "line.full",
    message: `The game is full and so is its line (${room.line.length} waiting). Please try again later.`,
    data,
    retryable: true,
  };
}

/** Whether the place ended with the room. Derived, because ending a room does not rewrite its places. */
function asOfEnd(room: GameRoom, place: Place): Place {
  const endedAt: Millis | undefined = room.endedAt;
  if (endedAt === undefined) return place;
  if (place.state === "active") return { ...place, state: "completed", changedAt: endedAt };
  if (place.state === "waiting") return { ...place, state: "left", changedAt: endedAt };
  return place;
}
