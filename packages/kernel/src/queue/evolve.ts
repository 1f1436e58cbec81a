import { Line } from "../line/line.ts";
import { assert, type Millis, type TicketNumber } from "../values.ts";
import type { Admitted, EndReason, Entered, QueueEvent } from "./events.ts";
import { queueLimits } from "./limits.ts";
import { countsOf, newQueue, type QueueRoom } from "./state.ts";

/** Applies events. The asserts catch a log that another version or a bug has made inconsistent. */
export function evolve(
  room: QueueRoom | undefined,
  event: QueueEvent,
  at: Millis,
  version: number,
): QueueRoom {
  if (event.type === "created") {
    assert(room === undefined, "a waiting room was created twice");
    const { lanes, placesPerAddressMax, creator, settings } = event;
    return newQueue({ lanes, placesPerAddressMax, creator, createdAt: at }, settings);
  }
  assert(room !== undefined, "an event before the waiting room was created");
  assert(room.endedAt === undefined, "an event after the end of the waiting room");
  // At every event: the settled front must follow from the log alone, not from when somebody asked.
  room.precedence.settle(room, room.settings.patienceMs, at);
  apply(room, event, at, version);
  room.agenda.tidy(room.admitted + room.active);
  if (room.line.length === 0) room.lineSince = undefined;
  const counts = countsOf(room);
  assert(
    counts.waiting === event.waiting &&
      counts.admitted === event.admitted &&
      counts.active === event.active &&
      counts.moved === event.moved,
    "the counts of an event are wrong",
  );
  return room;
}

function apply(
  room: QueueRoom,
  event: Exclude<QueueEvent, { type: "created" }>,
  at: Millis,
  version: number,
): void {
  switch (event.type) {
    case "entered":
      enter(room, event, at, version);
      break;
    case "admitted":
      admit(room, event, at);
      break;
    case "claimed":
      room.roster.move(event.ticket, "active", at);
      room.admitted--;
      room.active++;
      expect(room, event.ticket, event.until);
      break;
    case "left":
      end(room, event.ticket, { how: "left", reason: event.reason, at });
      break;
    case "completed":
      end(room, event.ticket, { how: "completed", reason: "completed", at });
      break;
    case "expired":
      for (const ticket of event.tickets) end(room, ticket, { how: "expired", reason: event.reason, at });
      break;
    case "taken-along":
      room.takenAlong.set(event.ticket, (room.takenAlong.get(event.ticket) ?? 0) + 1);
      break;
    case "away":
      for (const ticket of event.tickets)
        assert(room.line.setAside(ticket), "a place became away that is not waiting or is away already");
      break;
    case "back":
      for (const ticket of event.tickets)
        assert(room.line.takeBack(ticket), "a place came back that was not away");
      break;
    case "configured":
      room.settings = event.settings;
      room.paused = event.paused;
      room.bucket = room.bucket.changed(room.settings, at);
      break;
    case "ended":
      close(room, at);
      break;
    default:
      // Crash on an unknown event: skipping one from a newer server would leave wrong counts.
      assert(false, "an event of an unknown type");
  }
}

/** Does not rewrite the places, however many there are: `hasEndedWith` derives that they are over. */
function close(room: QueueRoom, at: Millis): void {
  room.expired += room.line.length + room.admitted + room.active;
  room.endedAt = at;
  room.line = new Line();
  room.admitted = 0;
  room.active = 0;
}

function enter(room: QueueRoom, event: Entered, at: Millis, version: number): void {
  const { person, lane, behind, estimate, address } = event;
  const ticket = room.roster.enter(person, "waiting", at);
  assert(ticket === event.ticket, "a ticket out of order");
  assert(room.terms.lanes[lane] !== undefined, "a person entered in an unknown lane");
  const position = room.line.length + 1 - behind;
  room.line.insert(ticket, behind);
  room.precedence.entered(ticket, lane, room.line);
  room.particulars.add({ lane, position, estimate, entry: version });
  if (room.terms.placesPerAddressMax !== null && address) room.addresses.entered(ticket, address);
  room.lineSince ??= at;
}

function admit(room: QueueRoom, { tickets, claimBy }: Admitted, at: Millis): void {
  let tokens = 0;
  for (const ticket of tickets) {
    takeOutOfLine(room, ticket);
    const { lane, estimate } = room.particulars.arrived(ticket);
    if (!room.precedence.isImmediate(lane)) tokens++;
    room.waits.add(at - room.roster.enteredAt(ticket), estimate);
    room.roster.move(ticket, "admitted", at);
    expect(room, ticket, claimBy);
  }
  room.admitted += tickets.length;
  room.moved += tickets.length;
  room.bucket.take(tokens, at);
  room.pace.add(tickets.length, at);
  room.lastAdmittedAt = at;
  assert(room.admitted + room.active <= room.settings.seats, "more people than seats");
}

function takeOutOfLine(room: QueueRoom, ticket: TicketNumber): void {
  room.precedence.leaving(room.line.rank(ticket));
  assert(room.line.remove(ticket), "a person left the line who was not in it");
}

function expect(room: QueueRoom, ticket: TicketNumber, until: Millis): void {
  // A session may end at the same moment as its claim timeout. Adding that time twice would end it twice.
  if (room.particulars.until(ticket) === until) return;
  room.particulars.setUntil(ticket, until);
  room.agenda.add(ticket, until);
}

interface Ending {
  readonly how: "left" | "completed" | "expired";
  readonly reason: EndReason;
  readonly at: Millis;
}

function end(room: QueueRoom, ticket: TicketNumber, { how, reason, at }: Ending): void {
  const state = room.roster.stateOf(ticket);
  if (state === "waiting") takeOutOfLine(room, ticket);
  else if (state === "admitted") room.admitted--;
  else {
    room.active--;
    room.waits.addStay(at - room.roster.place(ticket).changedAt);
  }
  room.roster.move(ticket, how, at);
  room.particulars.setEndReason(ticket, reason);
  room.addresses.left(ticket);
  room.takenAlong.delete(ticket);
  room[how]++;
  forgetOver(room);
}

/** A waiting room may be open for years. */
function forgetOver(room: QueueRoom): void {
  const { roster, particulars, line, admitted, active } = room;
  const over = roster.remembered - line.length - admitted - active;
  if (over <= queueLimits.overKeptMax || over * 2 < roster.remembered) return;
  // Keep half as many, so that the next cleanup is far away: each one scans all places.
  particulars.keep(roster.forgetOver(queueLimits.overKeptMax / 2));
}
