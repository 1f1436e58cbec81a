import { Line } from "../line/line.ts";
import { Match } from "../match/match.ts";
import type { PlaceState } from "../room/roster.ts";
import { assert, type Millis } from "../values.ts";
import type { ArenaEvent, Ended, Entered, Left, PlaceEnd, Seated, Started } from "./events.ts";
import { arenaLimits } from "./limits.ts";
import { type ArenaRoom, type MatchId, newArena, peopleIn, seatedIn, seatOf } from "./state.ts";

/** Applies events. The asserts catch a log that another version or a bug has made inconsistent. */
export function evolve(
  room: ArenaRoom | undefined,
  event: ArenaEvent,
  at: Millis,
  version: number,
): ArenaRoom {
  if (event.type === "created") {
    assert(room === undefined, "an arena was created twice");
    const { game, options, labels, lanes, seed, creator, settings } = event;
    const { rated = null } = event;
    return newArena({ game, options, labels, lanes, seed, rated, creator, createdAt: at }, settings);
  }
  assert(room !== undefined, "an event before the arena was created");
  assert(room.endedAt === undefined, "an event after the end of the arena");
  // At every event: the settled front must follow from the log alone, not from when somebody asked.
  room.precedence.settle(peopleIn(room), room.settings.patienceMs, at);
  apply(room, event, at, version);
  if ("waiting" in event) {
    const isRight = room.line.length === event.waiting && seatedIn(room) === event.seated;
    assert(isRight, "the counts of an event are wrong");
  }
  return room;
}

function apply(
  room: ArenaRoom,
  event: Exclude<ArenaEvent, { type: "created" }>,
  at: Millis,
  version: number,
): void {
  switch (event.type) {
    case "entered":
      enter(room, event, at);
      break;
    case "seated":
      seat(room, event, at);
      break;
    case "left":
      leave(room, event, at);
      break;
    case "started":
      start(room, event, at, version);
      break;
    case "moved":
      assert(room.match?.play !== undefined, "a move without a running match");
      room.match.play.play(event.seat, event.move);
      room.match.moveTimes.push(at - room.match.startedAt);
      room.match.moveBy = event.moveBy;
      break;
    case "ended":
      end(room, event, at, version);
      break;
    case "clock-restarted":
      assert(room.match !== undefined, "a clock was set without a running match");
      room.match.moveBy = event.moveBy;
      break;
    case "configured":
      room.settings = event.settings;
      break;
    case "expired":
      if (event.reason === "unused") assert(room.roster.tickets === 0, "an arena that was used expired");
      close(room, at);
      break;
    default:
      // Crash on an unknown event: skipping one from a newer server would leave a wrong line.
      assert(false, "an event of an unknown type");
  }
}

/** An arena that has ended has no places left, so none is rewritten. */
function close(room: ArenaRoom, at: Millis): void {
  assert(room.match === undefined, "an arena ended during a match");
  room.endedAt = at;
  room.line = new Line();
  room.entrants.clear();
  room.seats.fill(undefined);
}

function enter(room: ArenaRoom, event: Entered, at: Millis): void {
  const { person, name, lane, timeouts, behind } = event;
  assert(room.terms.lanes[lane] !== undefined, "a person entered in an unknown lane");
  const ticket = room.roster.enter(person, "waiting", at);
  assert(ticket === event.ticket, "a ticket out of order");
  room.entrants.set(ticket, { person, name, lane, timeouts });
  room.line.insert(ticket, behind);
  room.precedence.entered(ticket, lane, room.line);
}

function seat(room: ArenaRoom, { ticket, person, seat }: Seated, at: Millis): void {
  assert(room.seats[seat] === undefined, "two players on one seat");
  assert(room.match === undefined, "a person took a seat during a match");
  takeOutOfLine(room, ticket);
  room.roster.move(ticket, "admitted", at);
  room.roster.move(ticket, "active", at);
  const { name, timeouts } = room.entrants.get(ticket)!;
  room.seats[seat] = { ticket, person, name, timeouts, since: at, seating: ++room.seatings, streak: 0 };
  assert(seatedIn(room) <= room.settings.seats, "more players than seats");
}

/** RM4: the state of a place for each end reason. */
const endStates: Readonly<Record<PlaceEnd, PlaceState>> = {
  lost: "completed",
  completed: "completed",
  forfeited: "expired",
  heartbeat_timeout: "expired",
  left: "left",
  cancelled: "left",
};

function leave(room: ArenaRoom, { ticket, reason }: Left, at: Millis): void {
  if (room.line.has(ticket)) takeOutOfLine(room, ticket);
  else {
    assert(room.match === undefined, "a person left a seat during a match");
    const seat = seatOf(room, ticket);
    assert(seat >= 0, "a person left who was neither on a seat nor in the line");
    room.seats[seat] = undefined;
  }
  room.roster.move(ticket, endStates[reason], at);
  room.entrants.delete(ticket);
  forgetOver(room);
}

function takeOutOfLine(room: ArenaRoom, ticket: Left["ticket"]): void {
  room.precedence.leaving(room.line.rank(ticket));
  assert(room.line.remove(ticket), "a person left the line who was not in it");
}

function start(room: ArenaRoom, { number, seed, moveBy }: Started, at: Millis, version: number): void {
  assert(room.match === undefined, "a match began during another");
  assert(seatedIn(room) >= room.settings.seats, "a match began with an empty seat");
  assert(number === room.matches + 1, "a match out of order");
  const { options } = room.terms;
  const play = room.game && new Match(room.game, { seed, options, moves: [] });
  room.match = { id: version as MatchId, number, startedAt: at, play, moveTimes: [], moveBy };
  room.matches = number;
}

function end(room: ArenaRoom, event: Ended, at: Millis, version: number): void {
  const { match } = room;
  assert(match !== undefined && match.id === event.match, "a match ended that was not running");
  room.match = undefined;
  // The log has the moves; the state has them in `play`.
  const { played, ...ended } = event;
  room.last = { ended, version, at, play: match.play };
  room.ends.add(version);
  room.unreported = event.reason === "unreported" ? room.unreported + 1 : 0;
  for (const [seat, player] of room.seats.entries()) {
    // Only a clock that ran out counts against the players to move, who are about to leave their seats.
    if (player)
      room.seats[seat] = { ...player, timeouts: 0, streak: seat === event.winner ? player.streak + 1 : 0 };
  }
}

/** An arena may be open for years, and every match gives out a ticket. */
function forgetOver({ roster, entrants }: ArenaRoom): void {
  const over = roster.remembered - entrants.size;
  if (over <= arenaLimits.overKeptMax || over * 2 < roster.remembered) return;
  roster.forgetOver(arenaLimits.overKeptMax / 2);
}
