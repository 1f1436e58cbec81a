import type { Decision } from "../decider.ts";
import type { Refusal } from "../refusals.ts";
import { roomLimits } from "../room/limits.ts";
import { assert, type Millis, type TicketNumber } from "../values.ts";
import type { Create, End, GameCommand, Join, Leave } from "./commands.ts";
import type { Admitted, GameEvent } from "./events.ts";
import { type GameRoom, unusedUntilIn } from "./game.ts";
import { obstaclesToJoining } from "./questions.ts";
import { cannotLeaveEnded, gameEnded, gameNotFound, notAParticipant } from "./refusals.ts";

type GameDecision = Decision<GameEvent>;

const refuse = (refusal: Refusal): GameDecision => ({ refusal });

/** Expects that a tick has been decided when one was due, so that an end time in the past has ended the room. */
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
    case "tick":
      return tick(room, now);
  }
}

function create(room: GameRoom | undefined, command: Create, now: Millis): GameDecision {
  if (room !== undefined)
    return refuse({ code: "room.exists", message: "There is a game with this id already." });
  const { seats: wanted } = command;
  assert(
    Number.isInteger(wanted) && wanted >= 1 && wanted <= roomLimits.seatsMax,
    "a room outside its bounds of seats",
  );
  if (command.endsAt !== null && command.endsAt <= now) {
    return refuse({
      code: "room.end-in-past",
      message: "The end time must lie in the future.",
      data: { field: "endTime" },
    });
  }
  const { title, seats, waitlist, endsAt, creator } = command;
  return { events: [{ type: "created", title, seats, waitlist, endsAt, creator }] };
}

function join(room: GameRoom, { person }: Join): GameDecision {
  const [first] = obstaclesToJoining(room, person);
  if (first) return refuse(first);
  const ticket = (room.roster.tickets + 1) as TicketNumber;
  const waiting = room.line.length;
  return room.seated < room.terms.seats
    ? { events: [{ type: "joined", ticket, person, place: "active", seated: room.seated + 1, waiting }] }
    : {
        events: [
          { type: "joined", ticket, person, place: "waiting", seated: room.seated, waiting: waiting + 1 },
        ],
      };
}

function leave(room: GameRoom, { person }: Leave): GameDecision {
  if (room.endedAt !== undefined) return refuse(cannotLeaveEnded);
  const place = room.roster.livePlace(person);
  if (!place) return refuse(notAParticipant);
  const { ticket } = place;
  const waiting = room.line.length;
  if (place.state === "waiting") {
    const cancelled = {
      ticket,
      person,
      reason: "cancelled",
      seated: room.seated,
      waiting: waiting - 1,
    } as const;
    return { events: [{ type: "left", ...cancelled }] };
  }
  const seated = room.seated - 1;
  const left: GameEvent = { type: "left", ticket, person, reason: "left", seated, waiting };
  // GM8: the freed seat is given away in this very entry. In one of its own, a newcomer could slip in between.
  const next = admitFront(room, seated, waiting);
  return { events: next ? [left, next] : [left] };
}

function admitFront(room: GameRoom, seated: number, waiting: number): Admitted | undefined {
  const ticket = room.line.front();
  if (ticket === undefined) return undefined;
  const { person } = room.roster.place(ticket);
  return { type: "admitted", ticket, person, seated: seated + 1, waiting: waiting - 1 };
}

function end(room: GameRoom, { by, asOperator }: End): GameDecision {
  if (!asOperator && by !== room.terms.creator) {
    return refuse({
      code: "auth.forbidden",
      message: "Only the one who made this game, or an operator, may end it.",
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
