import type { Decision } from "../decider.ts";
import { gameNamed } from "../match/catalogue.ts";
import type { AnyGame, GameOptions } from "../match/game.ts";
import type { Refusal } from "../refusals.ts";
import { lastTicket } from "../room/roster.ts";
import { assert, type Millis, type TicketNumber } from "../values.ts";
import type { ArenaCommand, Configure, CreateArena, End, Expire, Forfeit, Join, Leave } from "./commands.ts";
import type { ArenaEvent } from "./events.ts";
import { arenaLimits } from "./limits.ts";
import { forfeitBy, move, moveTimeout, report, resign } from "./play.ts";
import { placeIn } from "./questions.ts";
import { arenaEnded, arenaExists, arenaNotFound } from "./refusals.ts";
import { moveByFrom, Rotation } from "./rotation.ts";
import {
  type ArenaRoom,
  type ArenaSettings,
  peopleIn,
  type RatedTerms,
  seatOf,
  unusedUntilIn,
} from "./state.ts";
import { tierFor } from "./tiers.ts";

type ArenaDecision = Decision<ArenaEvent>;

const refuse = (refusal: Refusal): ArenaDecision => ({ refusal });

/** Expects that a due tick was decided first, so that a turn that has run out is over. */
export function decide(room: ArenaRoom | undefined, command: ArenaCommand, now: Millis): ArenaDecision {
  if (command.type === "create") return create(room, command);
  if (room === undefined) return refuse(arenaNotFound);
  switch (command.type) {
    case "join":
      return join(room, command, now);
    case "leave":
      return leave(room, command, now);
    case "move":
      return move(room, command, now);
    case "resign":
      return resign(room, command, now);
    case "report":
      return report(room, command, now);
    case "configure":
      return configure(room, command, now);
    case "end":
      return end(room, command, now);
    case "expire":
      return expire(room, command);
    case "forfeit":
      return forfeit(room, command, now);
    case "revive":
      return revive(room, now);
    case "tick":
      return tick(room, now);
  }
}

function tick(room: ArenaRoom, now: Millis): ArenaDecision {
  const isUnused = (unusedUntilIn(room) ?? Number.POSITIVE_INFINITY) <= now;
  return isUnused ? { events: [{ type: "expired", reason: "unused" }] } : moveTimeout(room, now);
}

function create(room: ArenaRoom | undefined, command: CreateArena): ArenaDecision {
  if (room !== undefined) return refuse(arenaExists);
  const { lanes, seed, rated, settings, creator } = command;
  const game = command.game === null ? undefined : gameNamed(command.game);
  if (command.game !== null && !game)
    return refuse({ code: "game.unknown", message: `The catalogue has no game called ${command.game}.` });
  const invalid = invalidOption(game, command.options);
  if (invalid) return refuse(invalid);
  const labels = game?.seats ?? command.labels ?? ["1", "2"];
  const seats = settings.seats ?? labels.length;
  const invalidSetting =
    invalidSeats(game, labels, seats) ?? invalidClock(game, settings) ?? invalidLadder(rated, seats);
  if (invalidSetting) return refuse(invalidSetting);
  const options = { ...usualOptions(game), ...command.options };
  return {
    events: [
      {
        type: "created",
        game: command.game,
        ...{ options, labels, lanes, seed },
        ...(rated && { rated }),
        settings: { ...settings, seats },
        creator,
      },
    ],
  };
}

function usualOptions(game: AnyGame | undefined): GameOptions {
  const options = Object.entries(game?.options ?? {});
  return Object.fromEntries(options.map(([name, { usual }]) => [name, usual]));
}

function invalidOption(game: AnyGame | undefined, options: GameOptions): Refusal | undefined {
  for (const [name, value] of Object.entries(options)) {
    const known = game?.options && Object.hasOwn(game.options, name) ? game.options[name] : undefined;
    const data = { field: `options.${name}` };
    if (!known) return { code: "option.invalid", message: `This game has no option called ${name}.`, data };
    const { least, most } = known;
    if (Number.isInteger(value) && value >= least && value <= most) continue;
    const message = `The option ${name} must be from ${least} to ${most}.`;
    return { code: "option.invalid", message, data };
  }
  return undefined;
}

/** AR4: a match starts when every seat is filled, so with a wrong number of seats it would never start. */
function invalidSeats(
  game: AnyGame | undefined,
  labels: readonly string[],
  seats: number,
): Refusal | undefined {
  if (game ? seats === game.seats.length : seats >= 2 && seats <= labels.length) return undefined;
  const message = game
    ? `${game.title} needs exactly ${game.seats.length} seats.`
    : `There are labels for ${labels.length > 2 ? "2 to " : ""}${labels.length} seats.`;
  return { code: "seats.invalid", message, data: { field: "seats" } };
}

/**
 * With a shorter clock, each match would end in a draw before an absent player is noticed, and two absent players
 * would keep their seats forever.
 */
function invalidClock(
  game: AnyGame | undefined,
  { moveTimeoutMs, reconnectGraceMs }: Pick<ArenaSettings, "moveTimeoutMs" | "reconnectGraceMs">,
): Refusal | undefined {
  if (game || moveTimeoutMs === null || reconnectGraceMs === null) return undefined;
  if (moveTimeoutMs >= 2 * reconnectGraceMs) return undefined;
  const message = `moveTimeoutSeconds must be at least twice reconnectGraceSeconds: ${reconnectGraceMs / 500} seconds.`;
  return { code: "clock.invalid", message, data: { field: "moveTimeoutSeconds" } };
}

/** Ratings are for one against one. */
function invalidLadder(rated: RatedTerms | null | undefined, seats: number): Refusal | undefined {
  if (!rated || seats === 2) return undefined;
  const message = "Only an arena with two seats can count on a ladder.";
  return { code: "ladder.two-players-only", message, data: { field: "ladder" } };
}

function configure(room: ArenaRoom, { changes, by, asOperator }: Configure, now: Millis): ArenaDecision {
  if (!asOperator && by !== room.terms.creator) {
    return refuse({
      code: "auth.forbidden",
      message: "Only the creator of this arena can change it.",
    });
  }
  if (room.endedAt !== undefined) return refuse(arenaEnded);
  const settings = { ...room.settings, ...changes };
  const invalidSetting =
    invalidSeats(room.game, room.terms.labels, settings.seats) ??
    invalidClock(room.game, settings) ??
    invalidLadder(room.terms.rated, settings.seats);
  if (invalidSetting) return refuse(invalidSetting);
  const configured: ArenaEvent = { type: "configured", settings };
  if (room.match) return { events: [configured] };
  // RM1: the next in line takes an added seat at once; during a match it stays empty until the match is over.
  return { events: [configured, ...new Rotation(room, settings).settle(now)] };
}

/** RM5: the running match ends without a result, and every place ends with the arena, in one entry. */
function end(room: ArenaRoom, { by, asOperator }: End, now: Millis): ArenaDecision {
  if (!asOperator && by !== room.terms.creator) {
    return refuse({
      code: "auth.forbidden",
      message: "Only the creator of this arena can end it.",
    });
  }
  if (room.endedAt !== undefined) return refuse(arenaEnded);
  const rotation = new Rotation(room);
  if (room.match) rotation.endMatch(null, "arena-ended", now);
  return { events: [...rotation.events, { type: "expired", reason: "ended_by_hand" }] };
}

function join(room: ArenaRoom, command: Join, now: Millis): ArenaDecision {
  if (room.endedAt !== undefined) return refuse(arenaEnded);
  const { person, name, lane } = command;
  const place = placeIn(room, person);
  if (place) {
    const { ticket, state, label, position } = place;
    const message =
      state === "seated"
        ? `You are on the seat ${label} already.`
        : `You are in the line already: position ${position} of ${room.line.length}.`;
    return refuse({ code: "place.exists", message, data: { ticket, state, label, position } });
  }
  const elsewhere = tierFor(room.terms.rated, command.rating);
  if (elsewhere) return refuse(elsewhere);
  if (room.terms.lanes[lane] === undefined)
    return refuse({ code: "lane.unknown", message: "This arena has no such lane." });
  if (room.line.length >= room.settings.lineLengthMax) {
    return refuse({
      code: "line.full",
      message: `The line is full (${room.line.length} waiting). Please try again later.`,
      retryable: true,
    });
  }
  if (room.roster.tickets >= lastTicket - arenaLimits.labelsMax)
    return refuse({
      code: "room.tickets-exhausted",
      message: "This arena has reached its limit of tickets. Please create a new one.",
    });
  const rotation = new Rotation(room);
  const behind = room.precedence.behind(lane, peopleIn(room), room.settings.patienceMs, now);
  rotation.enter({ person, name, lane, timeouts: 0 }, behind);
  return { events: room.match ? rotation.events : rotation.settle(now) };
}

function leave(room: ArenaRoom, { person }: Leave, now: Millis): ArenaDecision {
  const place = placeIn(room, person);
  if (!place) return refuse({ code: "place.missing", message: "You are not in this arena." });
  const rotation = new Rotation(room);
  if (place.state === "waiting") {
    rotation.dropOut(place.ticket, "cancelled");
    return { events: rotation.events };
  }
  return forfeitBy(room, [seatOf(room, place.ticket)], { end: "left", place: "left" }, now);
}

/** LS1: places in the line without heartbeats. */
function expire(room: ArenaRoom, { tickets }: Expire): ArenaDecision {
  const rotation = new Rotation(room);
  for (const ticket of tickets) rotation.dropOut(ticket, "heartbeat_timeout");
  return { events: rotation.events };
}

/** AR8: players without heartbeats. */
function forfeit(room: ArenaRoom, { tickets }: Forfeit, now: Millis): ArenaDecision {
  const seats = tickets.map((ticket: TicketNumber) => seatOf(room, ticket));
  assert(!seats.includes(-1), "a person without a seat lost a seat");
  return forfeitBy(room, seats, { end: "disconnected", place: "forfeited" }, now);
}

/** LS4: nobody could move while the server was down, so players to move get their full time again. */
function revive(room: ArenaRoom, now: Millis): ArenaDecision {
  if (!room.match || room.match.moveBy === null) return { events: [] };
  // Also when the clock was turned off during the turn: the old one may have run out in the meantime.
  return { events: [{ type: "clock-restarted", moveBy: moveByFrom(room.settings, now) }] };
}
