import { type ArenaCommand, type ArenaEvent, gameNamed, type Listing } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { type Obstacle, obstacle, type Specification } from "../specification.ts";
import { type Arena, dueOf, organiser, placeOf, playersIn, statusOf } from "./arena.ts";
import { foldArena } from "./model.ts";
import { checkShown } from "./shown.ts";
import { viewOfArena } from "./view.ts";

const refusalRules: Readonly<Record<string, string>> = {
  "place.exists": "RM3",
  "lane.unknown": "LN2",
  "line.full": "LN8",
  "seats.invalid": "AR4",
  "clock.invalid": "AR10",
  "result.decided-here": "AR10",
  "result.exists": "AR10",
  "seat.unknown": "AR10",
  "turn.stale": "MT5",
  "turn.missing": "MT5",
  "auth.forbidden": "AU2",
  "room.ended": "RM8",
};

export const arenaSpecification: Specification<Arena, ArenaCommand, ArenaEvent> = {
  fold: foldArena,
  due: dueOf,
  dueRule: "AR9",
  listing: listingOf,
  refusal: refusalOf,
  refusalByClock: () => undefined,
  refusalRule: (code) => refusalRules[code] ?? "MT2",
  asksTheSame,
  view: viewOfArena,
  viewRule: "AR11",
  checkShown,
};

function listingOf(arena: Arena): Listing {
  const { terms, settings, seats, line, match, matches } = arena;
  const players = seats.flatMap((player, seat) =>
    player ? [{ label: terms.labels[seat], name: player.name, streak: player.streak }] : [],
  );
  // A lease is needed when a player must send heartbeats, or when a clock must stop during an outage.
  const isSeatLeased = players.length > 0 && settings.reconnectGraceMs !== null;
  const isTimed = match !== null && match.moveBy !== null;
  const leased = line.length > 0 || isSeatLeased || isTimed;
  return {
    status: statusOf(arena),
    summary: { terms, settings, players, waiting: line.length, matches, leased },
  };
}

type CommandOf<Type extends ArenaCommand["type"]> = Extract<ArenaCommand, { readonly type: Type }>;

function refusalOf(arena: Arena | undefined, by: string, command: ArenaCommand): Obstacle | undefined {
  if (command.type === "create") return arena ? obstacle({ code: "room.exists" }) : obstacleToMaking(command);
  if (!arena) return obstacle({ code: "room.not-found" });
  switch (command.type) {
    case "join":
      return obstacleToJoining(arena, command);
    case "leave":
      return placeOf(arena, command.person) ? undefined : obstacle({ code: "place.missing" });
    case "move":
      return obstacleToPlaying(arena, command.match, command.person) ?? obstacleToMoving(arena, command);
    case "resign":
      return obstacleToPlaying(arena, command.match, command.person);
    case "report":
      return obstacleToReporting(arena, command);
    case "end":
      if (by !== organiser && !command.asOperator) return obstacle({ code: "auth.forbidden" });
      return arena.ended ? obstacle({ code: "room.ended" }) : undefined;
    case "configure":
      if (by !== organiser && !command.asOperator) return obstacle({ code: "auth.forbidden" });
      if (arena.ended) return obstacle({ code: "room.ended" });
      return obstacleToSettings(arena.terms, { ...arena.settings, ...command.changes });
    default:
      return undefined;
  }
}

function obstacleToMaking({
  game,
  options,
  labels,
  rated,
  settings,
}: CommandOf<"create">): Obstacle | undefined {
  const found = game === null ? undefined : gameNamed(game);
  if (game !== null && !found) return obstacle({ code: "game.unknown" });
  for (const [name, value] of Object.entries(options)) {
    const known = found?.options?.[name];
    if (known && value >= known.least && value <= known.most) continue;
    return obstacle({ code: "option.invalid", data: { field: `options.${name}` } });
  }
  const terms = { game, labels: found?.seats ?? labels ?? ["1", "2"], rated: rated ?? null };
  return obstacleToSettings(terms, { ...settings, seats: settings.seats ?? terms.labels.length });
}

/**
 * AR4: a catalogue game needs all its seats; other games need at least two. AR10: an external match lasts at least
 * twice the grace. A rated arena has two players.
 */
function obstacleToSettings(
  { game, labels: { length }, rated }: Pick<Arena["terms"], "game" | "labels" | "rated">,
  {
    seats,
    moveTimeoutMs,
    reconnectGraceMs,
  }: Pick<Arena["settings"], "seats" | "moveTimeoutMs" | "reconnectGraceMs">,
): Obstacle | undefined {
  const fits = seats <= length && seats >= (game === null ? 2 : length);
  if (!fits) return obstacle({ code: "seats.invalid", data: { field: "seats" } });
  const isShort = (moveTimeoutMs ?? Number.POSITIVE_INFINITY) < 2 * (reconnectGraceMs ?? 0);
  if (game === null && isShort)
    return obstacle({ code: "clock.invalid", data: { field: "moveTimeoutSeconds" } });
  return rated && seats !== 2
    ? obstacle({ code: "ladder.two-players-only", data: { field: "ladder" } })
    : undefined;
}

function obstacleToJoining(arena: Arena, { person, lane }: CommandOf<"join">): Obstacle | undefined {
  if (arena.ended) return obstacle({ code: "room.ended" });
  const place = placeOf(arena, person);
  if (place) return obstacle({ code: "place.exists", data: { ...place } });
  if (lane >= arena.terms.lanes.length) return obstacle({ code: "lane.unknown" });
  return arena.line.length >= arena.settings.lineLengthMax ? obstacle({ code: "line.full" }) : undefined;
}

/** A late command about one match must not apply to the next one. */
function obstacleToMatch({ match, last }: Arena, id: number): Obstacle | undefined {
  if (match?.id === id) return undefined;
  if (last?.ended.match === id) return obstacle({ code: "match.over" });
  if (!match) return obstacle({ code: "match.none" });
  return obstacle({ code: "match.stale", data: { match: String(match.id) } });
}

function obstacleToPlaying(arena: Arena, id: number, person: string): Obstacle | undefined {
  const isSeated = playersIn(arena).some((player) => player.person === person);
  return obstacleToMatch(arena, id) ?? (isSeated ? undefined : obstacle({ code: "seat.missing" }));
}

function obstacleToMoving(
  { match, seats }: Arena,
  { person, turn, move }: CommandOf<"move">,
): Obstacle | undefined {
  const { table, turn: now, played } = match!;
  if (!table) return obstacle({ code: "move.elsewhere" });
  if (!table.exists(move)) return obstacle({ code: "move.unknown" });
  const data = { turn: now };
  if (turn !== undefined && turn !== now) return obstacle({ code: "turn.stale", data });
  const seat = seats.findIndex((player) => player?.person === person);
  if (!table.toMove.includes(seat)) return obstacle({ code: "move.out-of-turn" });
  const moves = table.legal(seat);
  if (!moves.includes(move)) return obstacle({ code: "move.impossible", data: { moves } });
  // A move without a turn number may repeat the previous move.
  const isRepeat = turn === undefined && played.some(([by, made]) => by === seat && made === move);
  return isRepeat ? obstacle({ code: "turn.missing", data }) : undefined;
}

function obstacleToReporting(arena: Arena, { match, winner }: CommandOf<"report">): Obstacle | undefined {
  const { terms, last, seats } = arena;
  if (terms.game !== null) return obstacle({ code: "result.decided-here" });
  if (last?.ended.match === match) return obstacle({ code: "result.exists" });
  const isKnown = winner === null || seats[terms.labels.indexOf(winner)] != null;
  return obstacleToMatch(arena, match) ?? (isKnown ? undefined : obstacle({ code: "seat.unknown" }));
}

function asksTheSame(command: ArenaCommand, { command: words }: Entry<ArenaEvent>): boolean {
  switch (command.type) {
    case "create": {
      const { game, options, labels, lanes, settings, rated } = command;
      const terms = [game, options, labels ?? null, lanes, settings, ...(rated ? [rated] : [])];
      return words === `create ${JSON.stringify(terms)}`;
    }
    case "configure":
      return words === `configure ${JSON.stringify(command.changes)}`;
    case "join":
      return words === (command.lane === 0 ? "join" : `join ${command.lane}`);
    case "leave":
    case "end":
      return words === command.type;
    case "move":
      return (
        words ===
        ["move", command.match, command.move, command.turn].filter((word) => word !== undefined).join(" ")
      );
    case "resign":
      return words === `resign ${command.match}`;
    case "report":
      return words === `report ${command.match} ${JSON.stringify(command.winner)}`;
    default:
      return false;
  }
}
