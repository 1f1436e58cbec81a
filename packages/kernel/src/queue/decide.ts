import type { Decision } from "../decider.ts";
import type { Refusal } from "../refusals.ts";
import { roomLimits } from "../room/limits.ts";
import { lastTicket, type PlaceState } from "../room/roster.ts";
import { assert, type Millis, type TicketNumber } from "../values.ts";
import { admissions } from "./admissions.ts";
import type {
  Away,
  Back,
  Claim,
  Complete,
  CreateQueue,
  Enter,
  Expire,
  Leave,
  QueueCommand,
  TakeAlong,
  Terminate,
} from "./commands.ts";
import type { ExpiryReason, QueueEvent } from "./events.ts";
import { queueLimits } from "./limits.ts";
import { askAgainSeconds } from "./pace/ask-again.ts";
import { estimateFor } from "./pace/estimate.ts";
import { hasEndedWith, placeGone } from "./questions.ts";
import { codeUsed, placeNotFound, queueEnded, queueNotFound } from "./refusals.ts";
import { countsOf, type QueueRoom, type QueueSettings } from "./state.ts";

type QueueDecision = Decision<QueueEvent>;

const refuse = (refusal: Refusal): QueueDecision => ({ refusal });

/** Expects that a due tick was decided first, so that everything that has run out is over. */
export function decide(room: QueueRoom | undefined, command: QueueCommand, now: Millis): QueueDecision {
  if (command.type === "create") return create(room, command);
  if (room === undefined) return refuse(queueNotFound);
  if (room.endedAt !== undefined) return inEnded(room, command, now);
  switch (command.type) {
    case "enter":
      return enter(room, command, now);
    case "leave":
      return leave(room, command, now);
    case "claim":
      return claim(room, command, now);
    case "complete":
      return complete(room, command, now);
    case "terminate":
      return terminate(room, command, now);
    case "take-along":
      return takeAlong(room, command, now);
    case "configure":
      return configure(room, { ...room.settings, ...command.changes }, room.paused, now);
    case "pause":
      return pause(room, now);
    case "resume":
      return resume(room, now);
    case "end":
      return end(room);
    case "expire":
      return expire(room, command, now);
    case "away":
      return goAway(room, command, now);
    case "back":
      return comeBack(room, command, now);
    case "tick":
      return tick(room, now);
  }
}

/** When the room has ended, nothing is due and every place has its own refusal. */
function inEnded(
  room: QueueRoom,
  command: Exclude<QueueCommand, { type: "create" }>,
  now: Millis,
): QueueDecision {
  if (command.type === "tick") return { events: [] };
  const place = "ticket" in command ? placeIn(room, { person: undefined, ...command }, [], now) : undefined;
  return refuse(place && "refusal" in place ? place.refusal : queueEnded);
}

function end(room: QueueRoom): QueueDecision {
  const { moved } = room;
  return { events: [{ type: "ended", reason: "ended_by_hand", waiting: 0, admitted: 0, active: 0, moved }] };
}

function create(room: QueueRoom | undefined, command: CreateQueue): QueueDecision {
  if (room !== undefined)
    return refuse({
      code: "room.exists",
      message: "A waiting room with this id already exists. Choose another id.",
    });
  const { settings, lanes, placesPerAddressMax, creator } = command;
  assertWithinBounds(settings);
  return { events: [{ type: "created", settings, lanes, placesPerAddressMax, creator }] };
}

function assertWithinBounds({ seats }: QueueSettings): void {
  const isWithin = Number.isInteger(seats) && seats >= 1 && seats <= roomLimits.seatsMax;
  assert(isWithin, "a number of seats outside its bounds");
}

function enter(room: QueueRoom, command: Enter, now: Millis): QueueDecision {
  const obstacle = obstacleToEntering(room, command);
  if (obstacle) return refuse(obstacle);
  const { person, lane, metadata, address, userAgent } = command;
  const ticket = (room.roster.tickets + 1) as TicketNumber;
  const behind = room.precedence.behind(lane, room, room.settings.patienceMs, now);
  const counts = { ...countsOf(room), waiting: room.line.length + 1 };
  const position = counts.waiting - behind;
  const admitted = admissions(room, now, counts, { newcomer: { ticket, position, lane } });
  // People who are admitted at once get no estimate, so they do not affect its accuracy.
  const walksIn = admitted.some(({ tickets }) => tickets.includes(ticket));
  const estimate = walksIn ? null : estimateFor(room, position, now);
  const entered: QueueEvent = {
    type: "entered",
    ticket,
    person,
    lane,
    behind,
    estimate,
    askAgain: askAgainSeconds(room.settings, estimate, position, ticket),
    ...(metadata !== undefined && { metadata }),
    ...(address !== undefined && { address }),
    ...(userAgent !== undefined && { userAgent }),
    ...counts,
  };
  return { events: [entered, ...admitted] };
}

function obstacleToEntering(room: QueueRoom, { person, lane, address }: Enter): Refusal | undefined {
  const { lineLengthMax } = room.settings;
  const { lanes, placesPerAddressMax } = room.terms;
  const live = room.roster.livePlace(person);
  if (live) {
    const { ticket } = live;
    return { code: "place.exists", message: "You already have a place here.", data: { ticket } };
  }
  if (lanes[lane] === undefined) {
    const names = lanes.map(({ name }, number) => `${number} ${name}`).join(", ");
    return {
      code: "lane.unknown",
      message: `This waiting room has no such lane. Its lanes are ${names}.`,
      data: { lane },
    };
  }
  if (room.line.length >= lineLengthMax) {
    return {
      code: "line.full",
      message: `The line is full (${room.line.length} waiting). Please try again later.`,
      retryable: true,
      retryAfterSeconds: 30,
    };
  }
  if (placesPerAddressMax !== null && address && room.addresses.count(address) >= placesPerAddressMax) {
    return {
      code: "limit.address",
      message: `This address already has ${placesPerAddressMax} places in the line, which is the limit. Please try again later.`,
      retryable: true,
      retryAfterSeconds: 30,
    };
  }
  if (room.roster.tickets < lastTicket) return undefined;
  return {
    code: "room.tickets-exhausted",
    message: "This waiting room has reached its limit of tickets.",
  };
}

/** The place, if `person` may use it and it is in one of these states; otherwise a refusal. */
function placeIn(
  room: QueueRoom,
  { ticket, person }: Pick<Leave, "ticket" | "person">,
  states: readonly PlaceState[],
  now: Millis,
): { readonly state: PlaceState } | { readonly refusal: Refusal } {
  const { roster } = room;
  if (ticket < 1 || ticket > roster.tickets) return { refusal: placeNotFound };
  if (!roster.remembers(ticket)) return { refusal: placeGone("over") };
  const place = roster.place(ticket);
  if (person !== undefined && place.person !== person) return { refusal: placeNotFound };
  if (hasEndedWith(room, place)) {
    return { refusal: placeGone("expired", { reason: "room_ended", endedAt: room.endedAt! }) };
  }
  // When more places expire than one entry holds, this one's end may not have been written yet.
  const isTimed = place.state === "admitted" || place.state === "active";
  if (isTimed && room.particulars.until(ticket) <= now) return { refusal: placeGone("expired") };
  if (states.includes(place.state)) return { state: place.state };
  if (isTimed || place.state === "waiting") return { refusal: wrongState(place.state) };
  const end = { reason: room.particulars.endReasonOf(ticket), endedAt: place.changedAt };
  return { refusal: placeGone(place.state, end) };
}

function wrongState(state: PlaceState): Refusal {
  const messages: Partial<Record<PlaceState, string>> = {
    waiting: "It is not your turn yet.",
    admitted: "The admission has not been claimed yet.",
    active: "The admission has already been claimed.",
  };
  return { code: "place.unready", message: messages[state]!, data: { status: state } };
}

function leave(room: QueueRoom, command: Leave, now: Millis): QueueDecision {
  const place = placeIn(room, command, ["waiting", "admitted", "active"], now);
  if ("refusal" in place) return place;
  const reason = place.state === "waiting" ? "cancelled" : "left";
  const counts = without(room, place.state, 1);
  const left: QueueEvent = { type: "left", ticket: command.ticket, reason, ...counts };
  return { events: [left, ...admissions(room, now, counts, { gone: [command.ticket] })] };
}

/** AD7: claiming again gives the same session, so nothing is written for an active session. */
function claim(room: QueueRoom, command: Claim, now: Millis): QueueDecision {
  const place = placeIn(room, command, ["admitted"], now);
  if ("refusal" in place) return place;
  const { sessionDurationMs } = room.settings;
  const counts = { ...countsOf(room), admitted: room.admitted - 1, active: room.active + 1 };
  const until = (now + sessionDurationMs) as Millis;
  const { ticket } = command;
  const { person } = room.roster.place(ticket);
  return { events: [{ type: "claimed", ticket, person, until, ...counts }] };
}

function complete(room: QueueRoom, command: Complete, now: Millis): QueueDecision {
  const place = placeIn(room, command, ["active"], now);
  if ("refusal" in place) return place;
  const counts = without(room, "active", 1);
  const completed: QueueEvent = { type: "completed", ticket: command.ticket, ...counts };
  return { events: [completed, ...admissions(room, now, counts)] };
}

function terminate(room: QueueRoom, command: Terminate, now: Millis): QueueDecision {
  const place = placeIn(room, command, ["waiting", "admitted", "active"], now);
  if ("refusal" in place) return place;
  return { events: ending(room, place.state, [command.ticket], "terminated", now) };
}

/** LS6: if two people use the same code, only one gets the place. */
function takeAlong(room: QueueRoom, { ticket, before }: TakeAlong, now: Millis): QueueDecision {
  const place = placeIn(room, { ticket, person: undefined }, ["waiting", "admitted", "active"], now);
  if ("refusal" in place) return place;
  if ((room.takenAlong.get(ticket) ?? 0) !== before) return refuse(codeUsed);
  return { events: [{ type: "taken-along", ticket, ...countsOf(room) }] };
}

/** Expires places of one state and admits the people who move up. */
function ending(
  room: QueueRoom,
  state: PlaceState,
  tickets: readonly TicketNumber[],
  reason: ExpiryReason,
  now: Millis,
): QueueEvent[] {
  const counts = without(room, state, tickets.length);
  const expired: QueueEvent = { type: "expired", tickets, reason, ...counts };
  return [expired, ...admissions(room, now, counts, { gone: tickets })];
}

function without(room: QueueRoom, state: PlaceState, places: number) {
  const { waiting, admitted, active, moved } = countsOf(room);
  return {
    waiting: state === "waiting" ? waiting - places : waiting,
    admitted: state === "admitted" ? admitted - places : admitted,
    active: state === "active" ? active - places : active,
    moved,
  };
}

function pause(room: QueueRoom, now: Millis): QueueDecision {
  if (room.paused) return refuse({ code: "queue.paused", message: "This waiting room is already paused." });
  return configure(room, room.settings, true, now);
}

function resume(room: QueueRoom, now: Millis): QueueDecision {
  if (!room.paused) return refuse({ code: "queue.running", message: "This waiting room is not paused." });
  return configure(room, room.settings, false, now);
}

/** AD5: takes effect at once, so people who can be admitted now are admitted in the same entry. */
function configure(room: QueueRoom, settings: QueueSettings, paused: boolean, now: Millis): QueueDecision {
  assertWithinBounds(settings);
  const counts = countsOf(room);
  const bucket = room.bucket.changed(settings, now);
  const configured: QueueEvent = { type: "configured", settings, paused, ...counts };
  return { events: [configured, ...admissions(room, now, counts, { settings, bucket, paused })] };
}

function expire(room: QueueRoom, { tickets, reason }: Expire, now: Millis): QueueDecision {
  const state = reason === "heartbeat_timeout" ? "waiting" : "active";
  for (const ticket of tickets)
    assert(room.roster.stateOf(ticket) === state, `a place that is not ${state} expired`);
  return { events: ending(room, state, tickets, reason, now) };
}

/** LN11: a place behind the away ones may be admitted, if it needs no token and they do (LN3). */
function goAway(room: QueueRoom, { tickets }: Away, now: Millis): QueueDecision {
  for (const ticket of tickets) assert(isPresent(room, ticket), "a place that is not waiting became away");
  const counts = countsOf(room);
  const away: QueueEvent = { type: "away", tickets, ...counts };
  return { events: [away, ...admissions(room, now, counts, { away: tickets })] };
}

function comeBack(room: QueueRoom, { tickets }: Back, now: Millis): QueueDecision {
  for (const ticket of tickets) assert(room.line.isAside(ticket), "a place that was not away came back");
  const counts = countsOf(room);
  const back: QueueEvent = { type: "back", tickets, ...counts };
  return { events: [back, ...admissions(room, now, counts, { back: tickets })] };
}

const isPresent = ({ line }: QueueRoom, ticket: TicketNumber) => line.has(ticket) && !line.isAside(ticket);

/** Ends what has run out and admits people who can be admitted. */
function tick(room: QueueRoom, now: Millis): QueueDecision {
  const due = room.agenda.due(now, queueLimits.eventTicketsMax) as TicketNumber[];
  const unclaimed = due.filter((ticket) => room.roster.stateOf(ticket) === "admitted");
  const overlong = due.filter((ticket) => room.roster.stateOf(ticket) === "active");
  const events: QueueEvent[] = [];
  let counts = countsOf(room);
  if (unclaimed.length > 0) {
    counts = { ...counts, admitted: counts.admitted - unclaimed.length };
    events.push({ type: "expired", tickets: unclaimed, reason: "claim_timeout", ...counts });
  }
  if (overlong.length > 0) {
    counts = { ...counts, active: counts.active - overlong.length };
    events.push({ type: "expired", tickets: overlong, reason: "session_timeout", ...counts });
  }
  return { events: [...events, ...admissions(room, now, counts)] };
}
