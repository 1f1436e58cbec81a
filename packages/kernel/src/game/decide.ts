import type { Decision } from "../decider.ts";
import type { Refusal } from "../refusals.ts";
import { roomLimits } from "../room/limits.ts";
import { assert, type Millis, type TicketNumber } from "../values.ts";
import type { Create, End, GameCommand, Join, Leave, Remove } from "./commands.ts";
import type { GameEvent, LeaveReason } from "./events.ts";
import { obstaclesToJoining } from "./questions.ts";
import { cannotLeaveEnded, gameEnded, gameNotFound, notAParticipant } from "./refusals.ts";
import { type GameRoom, unusedUntilIn } from "./state.ts";

type GameDecision = Decision<GameEvent>;

const refuse = (refusal: Refusal): GameDecision => ({ refusal });

/** Expects that a due tick was decided first, so that a game whose end time has passed has ended. */
export function decide(room: GameRoom | undefined, command: GameCommand, now: Millis): GameDecision {
  if (command.type === "create") return create(room, command, now);
  if (room === undefined) return refuse(gameNotFound);
  switch (command.type) {
    case "join":
      return join(room, command);
    case "leave":
      return leave(room, command);
    case "end":
      return end(room, command);
    case "remove":
      return remove(room, command);
    case "expire":
      return { events: partings(room, command.tickets, () => "heartbeat_timeout") };
    case "tick":
      return tick(room, now);
  }
}

function create(room: GameRoom | undefined, command: Create, now: Millis): GameDecision {
  if (room !== undefined)
    return refuse({ code: "room.exists", message: "A game with this id already exists. Choose another id." });
  const { seats: wanted } = command;
  assert(
    Number.isInteger(wanted) && wanted >= 1 && wanted <= roomLimits.seatsMax,
    "a number of seats outside its bounds",
  );
  if (command.endsAt !== null && command.endsAt <= now) {
    return refuse({
      code: "room.end-in-past",
      message: "The end time must be in the future.",
      data: { field: "endTime" },
    });
  }
  const { title, seats, waitlist, endsAt, heartbeatTimeoutMs, creator } = command;
  const lease = heartbeatTimeoutMs === undefined ? {} : { heartbeatTimeoutMs };
  return { events: [{ type: "created", title, seats, waitlist, endsAt, ...lease, creator }] };
}

function join(room: GameRoom, { person, name }: Join): GameDecision {
  const [first] = obstaclesToJoining(room, person);
  if (first) return refuse(first);
  const ticket = (room.roster.tickets + 1) as TicketNumber;
  const isFree = room.seated < room.terms.seats;
  const waiting = room.line.length;
  const counts = isFree
    ? { seated: room.seated + 1, waiting }
    : { seated: room.seated, waiting: waiting + 1 };
  const place = isFree ? "active" : "waiting";
  return {
    events: [{ type: "joined", ticket, person, ...(name !== undefined && { name }), place, ...counts }],
  };
}

function leave(room: GameRoom, { person }: Leave): GameDecision {
  if (room.endedAt !== undefined) return refuse(cannotLeaveEnded);
  const ticket = room.roster.liveTicket(person);
  if (ticket === undefined) return refuse(notAParticipant);
  return { events: partings(room, [ticket], (waited) => (waited ? "cancelled" : "left")) };
}

/** GM10. */
function remove(room: GameRoom, { person, by, asOperator }: Remove): GameDecision {
  if (!asOperator && by !== room.terms.creator) {
    return refuse({
      code: "auth.forbidden",
      message: "Only the creator of this game can remove people from it.",
    });
  }
  if (room.endedAt !== undefined) return refuse(gameEnded);
  const ticket = room.roster.liveTicket(person);
  if (ticket === undefined)
    return refuse({ code: "place.missing", message: "This person is not in the game." });
  return { events: partings(room, [ticket], () => "removed") };
}

/**
 * Ends these places and gives the free seats to the line. GM8: in the same entry, because a newcomer could take a seat
 * between two.
 */
function partings(
  room: GameRoom,
  tickets: readonly TicketNumber[],
  reasonOf: (hasWaited: boolean) => LeaveReason,
): GameEvent[] {
  const { line, terms } = room;
  const events: GameEvent[] = [];
  let { seated } = room;
  let waiting = line.length;
  for (const ticket of tickets) {
    const hasWaited = line.has(ticket);
    if (hasWaited) waiting--;
    else seated--;
    events.push({ type: "left", ...personAt(room, ticket), reason: reasonOf(hasWaited), seated, waiting });
  }
  const gone = new Set(tickets);
  for (let rank = 1; rank <= line.length && seated < terms.seats; rank++) {
    const ticket = line.at(rank)!;
    if (gone.has(ticket)) continue;
    events.push({ type: "admitted", ...personAt(room, ticket), seated: ++seated, waiting: --waiting });
  }
  return events;
}

function personAt({ roster, names }: GameRoom, ticket: TicketNumber) {
  const name = names.of(ticket);
  return { ticket, person: roster.place(ticket).person, ...(name !== undefined && { name }) };
}

function end(room: GameRoom, { by, asOperator }: End): GameDecision {
  if (!asOperator && by !== room.terms.creator) {
    return refuse({
      code: "auth.forbidden",
      message: "Only the creator of this game can end it.",
    });
  }
  if (room.endedAt !== undefined) return refuse(gameEnded);
  return { events: [{ type: "ended", reason: "ended_by_hand", seated: room.seated, waiting: 0 }] };
}

function tick(room: GameRoom, now: Millis): GameDecision {
  if (room.endedAt !== undefined) return { events: [] };
  const { endsAt } = room.terms;
  const isOver = endsAt !== null && endsAt <= now;
  if (!isOver && (unusedUntilIn(room) ?? Number.POSITIVE_INFINITY) > now) return { events: [] };
  const reason = isOver ? "end_time" : "unused";
  return { events: [{ type: "ended", reason, seated: room.seated, waiting: 0 }] };
}
