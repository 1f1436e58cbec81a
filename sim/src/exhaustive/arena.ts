import { isDeepStrictEqual } from "node:util";
import {
  type ArenaCommand,
  type ArenaEvent,
  type ArenaRoom,
  type ArenaSettings,
  arenaDecider,
  defaultLanes,
  type Effect,
  type MatchId,
  type Millis,
  type PersonId,
  type Saved,
} from "@openseat/kernel";
import { arenaView, type Entry } from "@openseat/server";
import { arenaSpecification } from "../arena/answers.ts";
import { type Arena, organiser, service, turnFrom } from "../arena/arena.ts";
import { viewOfArenaShown } from "../arena/view.ts";
import { must } from "../rule.ts";
import { ageOf, numbersIn, rowsIn } from "./key.ts";
import { type Ask, people, type SmallWorld } from "./small-world.ts";

type SmallArena = SmallWorld<ArenaRoom, ArenaCommand, ArenaEvent, Arena>;

const usual: ArenaSettings = {
  title: "Lunch",
  seats: 2,
  drawRule: "longest-leaves",
  maxWins: 2,
  moveTimeoutMs: 1_000,
  reconnectGraceMs: 400,
  heartbeatTimeoutMs: 700,
  lineLengthMax: 3,
  patienceMs: 600_000,
};

/** The current match and the one before: a late command about the old match must not apply to the new one. */
function matchesMeant({ match, last }: Arena): readonly MatchId[] {
  return [match?.id, last?.ended.match].filter((id) => id !== undefined) as MatchId[];
}

function asksOf(person: PersonId, arena: Arena, lanes: readonly number[]): readonly Ask<ArenaCommand>[] {
  const [current, before] = matchesMeant(arena);
  const coming: readonly Ask<ArenaCommand>[] = [
    ...lanes.map((lane) => ({ by: person, command: { type: "join", person, name: person, lane } }) as const),
    { by: person, command: { type: "leave", person } },
  ];
  const now = arena.match?.turn ?? 1;
  // MT5: moves for the current turn, for a past or future turn, and without a turn.
  const turns = [now, now === 1 ? 2 : now - 1, undefined];
  const playing = (match: MatchId, moves: readonly string[]): readonly Ask<ArenaCommand>[] => [
    ...moves.flatMap((move) =>
      turns.map((turn) => ({ by: person, command: { type: "move", person, match, turn, move } }) as const),
    ),
    { by: person, command: { type: "resign", person, match } },
  ];
  return [
    ...coming,
    ...(current === undefined ? [] : playing(current, ["rock", "paper"])),
    ...(before === undefined ? [] : playing(before, [])),
  ];
}

/** AR10. */
function reports(arena: Arena): readonly Ask<ArenaCommand>[] {
  return matchesMeant(arena).flatMap((match) =>
    [...arena.terms.labels, null].map(
      (winner) => ({ by: service, command: { type: "report", match, winner } }) as const,
    ),
  );
}

/** RM1: only the creator may configure a running arena. */
const configuring: readonly Ask<ArenaCommand>[] = [organiser, "ann"].map((by) => ({
  by,
  command: { type: "configure", changes: { drawRule: "longest-leaves" }, by, asOperator: false },
}));

/** RM8: only the creator may end it. */
const ending: readonly Ask<ArenaCommand>[] = [organiser, "ann"].map((by) => ({
  by,
  command: { type: "end", by, asOperator: false },
}));

interface Head extends Pick<ArenaRoom, "terms" | "settings" | "seats"> {
  readonly match: {
    readonly play: { readonly moves: unknown } | null;
    readonly moveBy: Millis | null;
  } | null;
  readonly entrants: readonly (readonly [number, { readonly timeouts: number; readonly lane: number }])[];
  readonly precedence: { readonly settled: number; readonly passed: number };
  readonly endedAt?: Millis;
}

/** The part of the state that the rules depend on. Start times and match ids are left out. */
function essence(saved: Saved, now: Millis): unknown {
  const { columns } = saved;
  const { terms, settings, seats, match, entrants, precedence, endedAt } = saved.head as unknown as Head;
  const numbers = numbersIn(saved);
  const sitting = seats.map((player) => {
    if (!player) return null;
    const { person, since, ticket, seating, streak, timeouts } = player;
    const age = ageOf(since, now, settings.reconnectGraceMs ?? 0);
    return [numbers.get(person), age, ticket, seating, streak, timeouts];
  });
  const running = match && [match.play?.moves ?? null, match.moveBy === null ? null : match.moveBy - now];
  const places = rowsIn(saved).map(({ person, state }) => [person, state]);
  // In a line with one lane nobody can be overtaken, however long they have waited.
  const ageMax = terms.lanes.length > 1 ? settings.patienceMs + 1 : 0;
  const waiting = entrants.flatMap(([ticket, { timeouts, lane }]) => {
    if (!columns.line.includes(ticket)) return [];
    const age = ageOf(columns.enteredAt[ticket - 1], now, ageMax);
    return [[ticket, timeouts, lane, age, ticket <= precedence.passed]];
  });
  const line = [[...columns.line], precedence.settled];
  return [settings.drawRule, endedAt !== undefined, sitting, running, places, waiting, line];
}

/** AR9, LS4: the player to move gets the full time again. */
function checkOutage(before: Arena, after: Arena, now: Millis): void {
  if (!before.match || before.match.moveBy === null) return;
  const isOn = after.match?.id === before.match.id && after.match.moveBy === turnFrom(after.settings, now);
  must(isOn, "LS4", "an outage cost a player time to move");
}

/** LD12: the ladder receives every match with a known result, once, and no other match. */
function checkEffects({ events }: Entry<ArenaEvent>, effects: readonly Effect[]): void {
  const counted = events.flatMap((event) => {
    if (event.type !== "ended") return [];
    const { winner, reason, players } = event;
    const isKnown = winner !== null || reason === "played" || reason === "reported";
    return isKnown ? [players.map(({ seat }) => (seat === winner ? 1 : 0))] : [];
  });
  const sent = effects.map(({ body }) => body.scores);
  must(isDeepStrictEqual(sent, counted), "LD12", `a ladder is sent ${JSON.stringify(sent)}`);
}

interface Terms {
  /** Null for an external game. */
  readonly game: string | null;
  readonly settings?: Partial<ArenaSettings>;
  /** With more labels than seats, one label is always free. */
  readonly labels?: readonly string[];
  readonly players?: readonly PersonId[];
  readonly ladder?: string;
  readonly asks?: readonly Ask<ArenaCommand>[];
  /** The lanes in which people join. With more than one, the arena uses the default lanes. */
  readonly lanes?: readonly number[];
  readonly waitsMs?: readonly number[];
}

function arena(
  name: string,
  { game, settings, labels, players = people, ladder, asks = [], lanes = [0], waitsMs = [] }: Terms,
  decider: typeof arenaDecider,
): SmallArena {
  return {
    name,
    kind: "arena",
    decider,
    specification: arenaSpecification,
    create: {
      by: organiser,
      command: {
        type: "create",
        game,
        options: game === null ? {} : { bestOf: 1 },
        labels,
        lanes: lanes.length > 1 ? defaultLanes : [{ name: "normal", skips: 0, immediate: false }],
        seed: 1,
        ...(ladder !== undefined && { rated: { ladder, tiers: [], tier: 0 } }),
        settings: { ...usual, ...settings },
        creator: organiser,
      },
    },
    asks: (room) => [...players.flatMap((person) => asksOf(person, room, lanes)), ...reports(room), ...asks],
    waitsMs,
    view: (room, version, by) => viewOfArenaShown(arenaView("small", room, version, by as PersonId)),
    viewers: [...players, "nobody"],
    essence,
    checkOutage,
    ...(ladder !== undefined && { checkEffects }),
  };
}

export function smallArenas(decider = arenaDecider): readonly SmallArena[] {
  const ofThrows = { game: "rock-paper-scissors", ladder: "main" };
  const externalGame: Terms = {
    game: null,
    labels: ["left", "right", "spare"],
    settings: { drawRule: "rematch" },
    asks: [...configuring, ...ending],
  };
  // Without clocks there are fewer states, which leaves room for a fourth person and for lanes.
  const patient: Terms = {
    game: null,
    ladder: "main",
    settings: {
      ...{ drawRule: "both-leave", maxWins: null, moveTimeoutMs: null, reconnectGraceMs: null },
      patienceMs: 400,
    },
    lanes: [0, 3],
    waitsMs: [401],
    players: [...people, "dan" as PersonId],
  };
  return [
    arena("an arena of rock, paper, scissors", ofThrows, decider),
    arena("an arena with an external game", externalGame, decider),
    arena("an arena with four people and a premium lane", patient, decider),
  ];
}
