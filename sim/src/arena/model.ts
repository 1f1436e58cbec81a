import { isDeepStrictEqual } from "node:util";
import { type ArenaEvent, gameNamed, type MatchId, type Millis } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { checkPlacing, settledBy } from "../line.ts";
import { must } from "../rule.ts";
import { checkAftermath } from "./aftermath.ts";
import {
  type Arena,
  type Challenger,
  newArena,
  organiser,
  placeOf,
  playersIn,
  turnFrom,
  unusedUntilIn,
} from "./arena.ts";
import { newTable } from "./tables.ts";

const clock = "@clock";

/** After a match ends or a seat is freed: departures, arrivals and the next match. */
const rotation = "( left| entered)*( seated)*( started)?";

/** The event types that each command may write in one entry. */
const outcomesAllowed: Record<string, RegExp> = {
  create: /^created$/,
  configure: /^configured( seated)*( started)?$/,
  join: /^entered( seated)?( started)?$/,
  leave: new RegExp(`^((ended )?left${rotation})$`),
  move: new RegExp(`^moved( ended${rotation})?$`),
  end: /^(ended )?expired$/,
  resign: new RegExp(`^ended${rotation}$`),
  report: new RegExp(`^ended${rotation}$`),
  tick: new RegExp(`^(ended${rotation}|expired)$`),
  expire: /^left( left)*$/,
  forfeit: new RegExp(`^((ended )?left${rotation})$`),
  revive: /^clock-restarted$/,
};

const commandsOfTheClock = ["tick", "expire", "forfeit", "revive"];

/** Applies one entry to the arena. Throws `RuleBroken` when the rules do not allow that entry. */
export function foldArena(before: Arena | undefined, entry: Entry<ArenaEvent>): Arena {
  const { at, by } = entry;
  must(before === undefined || at >= before.at, "RM5", `time went back from ${before?.at} to ${at}`);
  const [command] = entry.command.split(" ", 1);
  const outcome = entry.events.map(({ type }) => type).join(" ");
  const ends = entry.events.filter(({ type }) => type === "ended").length;
  must(ends <= 1, "AR4", `a ${command} gave ${ends} results`);
  must(outcomesAllowed[command]?.test(outcome) ?? false, "RM5", `a ${command} resulted in "${outcome}"`);
  must(commandsOfTheClock.includes(command) === (by === clock), "AU3", `a ${command} by ${by}`);
  // Work that is due before an entry needs an entry of its own first.
  if (before && command !== "tick" && command !== "revive") checkTurnNotOver({ ...before, at }, command);
  if (command === "tick" && outcome !== "expired") {
    const moveBy = before?.match?.moveBy ?? Number.POSITIVE_INFINITY;
    must(moveBy <= at, "AR9", `a turn ended ${moveBy - at} ms early`);
  }
  must(before?.ended !== true, "RM8", `a ${command} in an arena that had ended`);
  const isUnused = before !== undefined && (unusedUntilIn(before) ?? Infinity) <= at;
  const isExpiry = command === "tick" && outcome === "expired";
  must(isUnused === isExpiry, "LM7", `a ${command} resulted in "${outcome}", used or unused`);
  let arena = before && { ...before, at };
  for (const event of entry.events) arena = foldEvent(arena, event, entry);
  must(arena !== undefined, "RM5", "an entry without events");
  checkAtRest(arena, command);
  if (before && !arena.ended) checkAftermath(before, arena, entry);
  return arena;
}

function checkTurnNotOver({ match, at }: Arena, command: string): void {
  const isOver = match !== null && match.moveBy !== null && match.moveBy <= at;
  must(!isOver, "AR9", `a ${command} although the turn had been over for ${at - (match?.moveBy ?? 0)} ms`);
}

/** Invariants between any two entries. */
function checkAtRest(arena: Arena, command: string): void {
  const { settings, line, match } = arena;
  const players = playersIn(arena);
  const people = [...players, ...line].map(({ person }) => person);
  must(new Set(people).size === people.length, "RM3", "a person is in the arena twice");
  const free = settings.seats - players.length;
  must(
    match !== null || line.length === 0 || free <= 0,
    "AR3",
    `a free seat while people wait, after a ${command}`,
  );
  must(match !== null || free > 0, "AR4", `all seats are taken but no match runs, after a ${command}`);
  checkTurnNotOver(arena, command);
}

function foldEvent(before: Arena | undefined, event: ArenaEvent, entry: Entry<ArenaEvent>): Arena {
  if (event.type === "created") {
    must(before === undefined, "RM5", "an arena was created twice");
    return create(event, entry);
  }
  must(before !== undefined, "RM5", `${event.type} in an arena that was never created`);
  const arena = apply(settle(before), event, entry);
  if ("waiting" in event) {
    const seated = playersIn(arena).length;
    const isRight = event.seated === seated && event.waiting === arena.line.length;
    must(
      isRight,
      "RM6",
      `${event.seated} seated and ${event.waiting} waiting according to a ${event.type}, which is wrong`,
    );
  }
  return arena;
}

function lineOf({ line, settled, at, settings, terms }: Arena) {
  return { line, settled, at, patienceMs: settings.patienceMs, lanes: terms.lanes };
}

function settle(arena: Arena): Arena {
  return { ...arena, settled: settledBy(lineOf(arena)) };
}

type EventOf<Type extends ArenaEvent["type"]> = Extract<ArenaEvent, { readonly type: Type }>;

function create(event: EventOf<"created">, { at, by }: Entry<ArenaEvent>): Arena {
  const { game, options, labels, lanes, seed, rated = null, settings, creator } = event;
  must(creator === by, "AU3", `${by} created an arena as ${creator}`);
  const isOwn = game === null || isDeepStrictEqual(labels, gameNamed(game)?.seats);
  must(isOwn, "AR12", `an arena of ${game} with the labels ${labels}`);
  must(new Set(labels).size === labels.length, "AR2", `two seats with one label: ${labels}`);
  must(settings.seats <= labels.length, "AR2", `${settings.seats} seats with ${labels.length} labels`);
  must(rated === null || settings.seats === 2, "LD12", `an arena with ${settings.seats} seats is rated`);
  return newArena({ game, options, labels, lanes, seed, rated, creator, createdAt: at }, settings);
}

function apply(
  arena: Arena,
  event: Exclude<ArenaEvent, { type: "created" }>,
  entry: Entry<ArenaEvent>,
): Arena {
  switch (event.type) {
    case "entered":
      return enter(arena, event, entry);
    case "seated":
      return seat(arena, event);
    case "left":
      return leave(arena, event);
    case "started":
      return start(arena, event, entry.version);
    case "moved":
      return move(arena, event, entry);
    case "ended":
      return end(arena, event, entry);
    case "clock-restarted": {
      const { match, settings, at } = arena;
      must(match !== null && match.moveBy !== null, "LS4", "a clock restarted that was not running");
      must(
        event.moveBy === turnFrom(settings, at),
        "LS4",
        `a clock restarted with the deadline ${event.moveBy}`,
      );
      return { ...arena, match: { ...match, moveBy: event.moveBy } };
    }
    case "expired": {
      const byHand = entry.command === "end";
      must(byHand === (event.reason === "ended_by_hand"), "RM5", `an arena ended as ${event.reason}`);
      const mayEnd = entry.by === organiser || entry.by === "operator";
      must(!byHand || mayEnd, "RM8", `${entry.by} ended an arena`);
      must(arena.match === null, "RM8", "an arena ended while a match was running");
      return { ...arena, seats: arena.seats.map(() => null), line: [], settled: 0, ended: true };
    }
    case "configured": {
      must(entry.by === organiser || entry.by === "operator", "AU2", `${entry.by} changed an arena`);
      const changes = JSON.parse(entry.command.slice("configure ".length));
      const expected = { ...arena.settings, ...changes };
      must(isDeepStrictEqual(event.settings, expected), "RM1", "a configuration set other settings");
      return { ...arena, settings: event.settings };
    }
  }
}

function enter(arena: Arena, event: EventOf<"entered">, { by, command }: Entry<ArenaEvent>): Arena {
  const { ticket, person, name, lane, behind, timeouts } = event;
  const { line, at, terms, settings } = arena;
  must(ticket === arena.tickets + 1, "LN1", `ticket ${ticket} after ${arena.tickets}`);
  must(placeOf(arena, person) === undefined, "RM3", `${person} has two places`);
  must(lane < terms.lanes.length, "LN2", `${person} is in lane ${lane}, which does not exist`);
  if (command.startsWith("join")) {
    must(person === by, "AU3", `${by} joined as ${person}`);
    must(line.length < settings.lineLengthMax, "LN8", `a line of ${line.length} has grown`);
    checkPlacing(lineOf(arena), lane, behind);
  } else {
    must(behind === 0, "AR5", `${person} came from a seat and was placed ahead of ${behind} others`);
  }
  const place: Challenger = { ticket, person, name, lane, enteredAt: at, timeouts };
  const ahead = line.length - behind;
  return { ...arena, tickets: ticket, line: [...line.slice(0, ahead), place, ...line.slice(ahead)] };
}

function outOfLine(arena: Arena, ticket: number): Arena {
  const index = arena.line.findIndex((other) => other.ticket === ticket);
  const settled = index < arena.settled ? arena.settled - 1 : arena.settled;
  return { ...arena, settled, line: arena.line.filter((other) => other.ticket !== ticket) };
}

function seat(arena: Arena, { ticket, person, seat: number }: EventOf<"seated">): Arena {
  const { line, seats, settings, terms, match, at } = arena;
  const [front] = line;
  must(match === null, "AR4", `${person} took a seat in the middle of a match`);
  must(front?.ticket === ticket, "AR3", `ticket ${ticket} took a seat before ticket ${front?.ticket}`);
  must(front.person === person, "RM5", `ticket ${ticket} does not belong to ${person}`);
  must(number < terms.labels.length, "AR1", `a seat ${number} without a label`);
  must(
    seats[number] === null,
    "AR2",
    `${person} and ${seats[number]?.person} are both ${terms.labels[number]}`,
  );
  must(
    number === seats.indexOf(null),
    "AR1",
    `${person} is ${terms.labels[number]}, and another label was free`,
  );
  must(playersIn(arena).length < settings.seats, "RM2", `more players than ${settings.seats} seats`);
  const seating = arena.seatings + 1;
  const { name, timeouts } = front;
  const player = { ticket, person, name, timeouts, since: at, seating, streak: 0 };
  return { ...outOfLine(arena, ticket), seatings: seating, seats: seats.with(number, player) };
}

function leave(arena: Arena, { ticket, person, reason }: EventOf<"left">): Arena {
  const { line, seats, match } = arena;
  const waiting = line.find((other) => other.ticket === ticket);
  const number = seats.findIndex((player) => player?.ticket === ticket);
  must((waiting ?? seats[number])?.person === person, "RM5", `ticket ${ticket} does not belong to ${person}`);
  const isOfLine = reason === "cancelled" || reason === "heartbeat_timeout";
  must(isOfLine === (waiting !== undefined), "RM5", `a place ended for the reason ${reason}`);
  if (waiting) return outOfLine(arena, ticket);
  must(match === null, "AR4", `${person} left a seat, but the match has no result`);
  return { ...arena, seats: seats.with(number, null) };
}

function start(arena: Arena, { number, seed, moveBy }: EventOf<"started">, version: number): Arena {
  const { terms, settings, at, matches, match } = arena;
  must(match === null, "AR4", `match ${number} began, but the one before has no result`);
  const { length } = playersIn(arena);
  must(length >= settings.seats, "AR4", `a match began with ${length} players for ${settings.seats} seats`);
  must(number === matches + 1, "AR4", `match ${number} after ${matches}`);
  must(moveBy === turnFrom(settings, at), "AR9", `a first turn with deadline ${moveBy}`);
  const table = terms.game === null ? null : newTable(terms.game, seed, terms.options);
  const running = {
    id: version,
    number,
    startedAt: at,
    table,
    moves: 0,
    turn: 1,
    asked: [],
    played: [],
    moveBy,
  };
  return { ...arena, matches: number, match: running };
}

function move(
  arena: Arena,
  { seat: number, move: what, moveBy }: EventOf<"moved">,
  { by, command }: Entry<ArenaEvent>,
): Arena {
  const { match, seats, settings, at } = arena;
  must(match?.table != null, "MT2", "a move without a match");
  must(seats[number]?.person === by, "MT2", `${by} moved on the seat of ${seats[number]?.person}`);
  const { table, turn } = match;
  const asked = `${by} ${command}`;
  must(!match.asked.includes(asked), "ID5", `${by} sent ${command} twice, and it took effect twice`);
  const meant = turnIn(command);
  must(meant === undefined || meant === turn, "MT5", `a move for turn ${meant} was made in turn ${turn}`);
  const isRepeat = match.played.some(([seat, made]) => seat === number && made === what);
  must(meant !== undefined || !isRepeat, "MT5", `${by} played ${what} again without a turn number`);
  must(table.toMove.includes(number), "MT2", `${by} moved out of turn`);
  must(table.legal(number).includes(what), "MT2", `${by} played ${what}, which is not a valid move`);
  const next = table.play(number, what);
  // A player still to move in the same round keeps the remaining time.
  const isNewTurn = next.toMove.some((each) => each === number || !table.toMove.includes(each));
  const expected = isNewTurn ? turnFrom(settings, at) : match.moveBy;
  must(
    next.winner !== undefined || moveBy === expected,
    "AR9",
    `a turn with deadline ${moveBy} instead of ${expected}`,
  );
  const played = [...match.played, [number, what, at - match.startedAt] as const];
  const after = { table: next, moves: match.moves + 1, turn: isNewTurn ? turn + 1 : turn };
  return {
    ...arena,
    match: { ...match, ...after, asked: [...match.asked, asked], played, moveBy: expected },
  };
}

/** The turn that a move names; undefined when it names none. */
function turnIn(command: string): number | undefined {
  const [, , , turn] = command.split(" ");
  return turn === undefined ? undefined : Number(turn);
}

function end(arena: Arena, ended: EventOf<"ended">, { version, command }: Entry<ArenaEvent>): Arena {
  const isCut = ended.reason === "arena-ended" && ended.winner === null;
  must(isCut === (command === "end"), "RM8", `a ${command} ended a match by ${ended.reason}`);
  const { match, seats, last, at } = arena;
  must(
    match !== null && match.id === ended.match,
    "AR4",
    `a result for match ${ended.match}, which is not the current match`,
  );
  const players = seats.flatMap((player, seat) =>
    player ? [{ seat, person: player.person, name: player.name }] : [],
  );
  const { id, number, startedAt, moves, played, table } = match;
  const { winner, reason } = ended;
  const expected = { type: "ended", match: id as MatchId, number, startedAt, winner, reason, players, moves };
  const isWhole = isDeepStrictEqual(ended, {
    ...expected,
    previous: last?.version ?? null,
    ...(table && { played }),
  });
  must(isWhole, "MT4", `the result of match ${number} differs from its moves`);
  const after = seats.map((player, seat) =>
    player ? { ...player, timeouts: 0, streak: seat === winner ? player.streak + 1 : 0 } : null,
  );
  const unreported = reason === "unreported" ? arena.unreported + 1 : 0;
  return {
    ...arena,
    seats: after,
    unreported,
    match: null,
    last: { ended, version, at: at as Millis, table },
  };
}
