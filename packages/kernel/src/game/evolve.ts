import { Line } from "../line/line.ts";
import { assert, type Millis, type TicketNumber } from "../values.ts";
import type { GameEvent, Left } from "./events.ts";
import { type GameRoom, newGame } from "./state.ts";

/** Applies events. The asserts catch a log that another version or a bug has made inconsistent. */
export function evolve(room: GameRoom | undefined, event: GameEvent, at: Millis): GameRoom {
  if (event.type === "created") {
    assert(room === undefined, "a room was created twice");
    const { type: _, ...terms } = event;
    return newGame({ ...terms, createdAt: at });
  }
  assert(room !== undefined, "an event before the room was created");
  assert(room.endedAt === undefined, "an event after the end of the room");
  switch (event.type) {
    case "joined": {
      const ticket = room.roster.enter(event.person, event.place, at);
      assert(ticket === event.ticket, "a ticket out of order");
      if (event.name !== undefined) room.names.set(ticket, event.name);
      if (event.place === "waiting") room.line.push(ticket);
      else sit(room, ticket);
      break;
    }
    case "admitted":
      assert(room.line.remove(event.ticket), "a person was admitted who was not in the line");
      room.roster.move(event.ticket, "admitted", at);
      room.roster.move(event.ticket, "active", at);
      sit(room, event.ticket);
      break;
    case "left":
      leave(room, event, at);
      break;
    case "ended":
      room.endedAt = at;
      room.line = new Line();
      break;
    default:
      // Crash on an unknown event: skipping one from a newer server would leave wrong counts.
      assert(false, "an event of an unknown type");
  }
  assert(
    room.seated === event.seated && room.line.length === event.waiting,
    "the counts of an event are wrong",
  );
  assert(room.seated <= room.terms.seats, "more people than seats");
  return room;
}

function sit(room: GameRoom, ticket: TicketNumber): void {
  room.seated++;
  room.onSeats?.add(ticket);
}

function leave(room: GameRoom, { ticket, reason }: Left, at: Millis): void {
  const hasWaited = room.line.remove(ticket);
  if (!hasWaited) {
    room.seated--;
    room.onSeats?.delete(ticket);
  }
  if (reason === "cancelled") assert(hasWaited, "a person cancelled who was not in the line");
  if (reason === "left") assert(!hasWaited, "a person in the line left a seat");
  room.roster.move(ticket, reason === "heartbeat_timeout" ? "expired" : "left", at);
}
