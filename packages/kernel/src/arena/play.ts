import type { Decision } from "../decider.ts";
import type { SeatNumber } from "../match/game.ts";
import type { Refusal } from "../refusals.ts";
import type { Millis, PersonId } from "../values.ts";
import type { Move, Report, Resign } from "./commands.ts";
import type { ArenaEvent, MatchEnd, PlaceEnd } from "./events.ts";
import { arenaLimits } from "./limits.ts";
import { moveByFrom, Rotation } from "./rotation.ts";
import type { ArenaRoom, MatchId, RunningMatch } from "./state.ts";

type ArenaDecision = Decision<ArenaEvent>;

const refuse = (refusal: Refusal): ArenaDecision => ({ refusal });

const playedElsewhere: Refusal = {
  code: "move.elsewhere",
  message: "This game is played elsewhere. You cannot move here: a service reports the results.",
};

/** MT2: a refused move changes nothing. */
export function move(room: ArenaRoom, command: Move, now: Millis): ArenaDecision {
  const found = playerIn(room, command.person, command.match);
  if ("refusal" in found) return found;
  const { match, seat } = found;
  const { play } = match;
  if (!play) return refuse(playedElsewhere);
  const obstacle = play.obstacleTo(seat, command.move, command.turn);
  if (obstacle) return refuse(obstacle);
  const { outcome, isSameTurn } = play.after(seat, command.move);
  // A player who still has to move in this turn keeps the remaining time: the opponent's move must not extend it.
  const moveBy = isSameTurn ? match.moveBy : moveByFrom(room.settings, now);
  const rotation = new Rotation(room);
  rotation.events.push({ type: "moved", seat, move: command.move, moveBy });
  if (outcome) return { events: afterOutcome(room, rotation, { ...outcome, reason: "played" }, now) };
  if (play.moves.length + 1 < arenaLimits.matchMovesMax) return { events: rotation.events };
  return { events: afterOutcome(room, rotation, { winner: null, reason: "too-long" }, now) };
}

export function resign(room: ArenaRoom, { person, match }: Resign, now: Millis): ArenaDecision {
  const found = playerIn(room, person, match);
  if ("refusal" in found) return found;
  return forfeitBy(room, [found.seat], { end: "resigned", place: "lost" }, now);
}

/** AR10: once per match, and only for games that are not decided here. */
export function report(room: ArenaRoom, { match: id, winner }: Report, now: Millis): ArenaDecision {
  if (room.game) {
    return refuse({
      code: "result.decided-here",
      message: "The result of this game follows from its moves. It cannot be reported.",
    });
  }
  if (room.last?.ended.match === id)
    return refuse({ code: "result.exists", message: "This match already has a result." });
  const match = runningMatch(room, id);
  if ("refusal" in match) return match;
  const seat = winner === null ? null : room.terms.labels.indexOf(winner);
  if (seat !== null && !room.seats[seat])
    return refuse({ code: "seat.unknown", message: `This match has no player on seat ${winner}.` });
  return { events: afterOutcome(room, new Rotation(room), { winner: seat, reason: "reported" }, now) };
}

/** AR9: players whose turn has run out forfeit. A match played elsewhere that nobody reported in time is a draw. */
export function moveTimeout(room: ArenaRoom, now: Millis): ArenaDecision {
  const { match } = room;
  if (!match || match.moveBy === null || match.moveBy > now) return { events: [] };
  if (!match.play) return unreported(room, now);
  return forfeitBy(room, match.play.toMove, { end: "move-timeout", place: "forfeited" }, now);
}

/**
 * AR10: an unreported match is a draw. After several in a row, its players lose their places: otherwise matches that
 * restart by themselves would fill the log forever.
 */
function unreported(room: ArenaRoom, now: Millis): ArenaDecision {
  const rotation = new Rotation(room);
  const reason = "unreported";
  if (room.unreported + 1 < arenaLimits.unreportedMax)
    return { events: afterOutcome(room, rotation, { winner: null, reason }, now) };
  rotation.endMatch(null, reason, now);
  for (const seat of seatsTaken(room)) rotation.vacate(seat, "forfeited");
  return { events: rotation.settle(now) };
}

/**
 * Ends the places of players who left or lost by their own doing. If one opponent remains, they win the running match;
 * several remaining opponents keep their seats without a result.
 */
export function forfeitBy(
  room: ArenaRoom,
  offenders: readonly SeatNumber[],
  why: { readonly end: MatchEnd; readonly place: PlaceEnd },
  now: Millis,
): ArenaDecision {
  const rotation = new Rotation(room);
  const others = seatsTaken(room).filter((seat) => !offenders.includes(seat));
  const winner = room.match && others.length === 1 ? others[0] : null;
  if (room.match) rotation.endMatch(winner, why.end, now);
  if (winner !== null) retireChampion(room, rotation, winner);
  const isBack = (seat: SeatNumber) =>
    why.end === "resigned" ||
    (why.end === "move-timeout" && room.seats[seat]!.timeouts + 1 < arenaLimits.timeoutsMax);
  for (const seat of offenders) if (!isBack(seat)) rotation.vacate(seat, why.place);
  rotation.sendBack(offenders.filter(isBack), why.place);
  return { events: rotation.settle(now) };
}

interface Result {
  readonly winner: SeatNumber | null;
  readonly reason: MatchEnd;
}

function afterOutcome(
  room: ArenaRoom,
  rotation: Rotation,
  { winner, reason }: Result,
  now: Millis,
): ArenaEvent[] {
  rotation.endMatch(winner, reason, now);
  const seats = seatsTaken(room);
  if (winner === null) rotation.sendBack(leaversAfterDraw(room, seats), "completed");
  else {
    retireChampion(room, rotation, winner);
    rotation.sendBack(
      seats.filter((seat) => seat !== winner),
      "lost",
    );
  }
  return rotation.settle(now);
}

/** AR7: a winner who has reached the limit goes to the back of the line, ahead of the players they beat. */
function retireChampion(room: ArenaRoom, rotation: Rotation, winner: SeatNumber): void {
  const { maxWins } = room.settings;
  if (maxWins !== null && room.seats[winner]!.streak + 1 >= maxWins) rotation.sendBack([winner], "completed");
}

/** AR6. */
function leaversAfterDraw(room: ArenaRoom, seats: readonly SeatNumber[]): readonly SeatNumber[] {
  switch (room.settings.drawRule) {
    case "rematch":
      return [];
    case "both-leave":
      return seats;
    case "longest-leaves":
      return [seats.reduce((a, b) => (room.seats[a]!.seating < room.seats[b]!.seating ? a : b))];
  }
}

function seatsTaken(room: ArenaRoom): SeatNumber[] {
  return [...room.seats.keys()].filter((seat) => room.seats[seat] !== undefined);
}

/** The current match, if it is the one meant. A late request for another match must not apply to this one. */
function runningMatch(room: ArenaRoom, id: MatchId): RunningMatch | { refusal: Refusal } {
  if (room.match?.id === id) return room.match;
  if (room.last?.ended.match === id)
    return { refusal: { code: "match.over", message: "This match is over." } };
  if (!room.match) return { refusal: { code: "match.none", message: "No match is being played right now." } };
  return {
    refusal: {
      code: "match.stale",
      message: "Another match is being played now. Look at the table and try again.",
      data: { match: String(room.match.id) },
    },
  };
}

function playerIn(
  room: ArenaRoom,
  person: PersonId,
  id: MatchId,
): { match: RunningMatch; seat: SeatNumber } | { refusal: Refusal } {
  const match = runningMatch(room, id);
  if ("refusal" in match) return match;
  const seat = room.seats.findIndex((player) => player?.person === person);
  if (seat < 0)
    return { refusal: { code: "seat.missing", message: "You cannot play because you are not on a seat." } };
  return { match, seat };
}
