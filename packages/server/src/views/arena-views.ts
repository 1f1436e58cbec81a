import {
  type ArenaEvent,
  type ArenaRoom,
  type ArenaSettings,
  arenaStatusOf,
  type Ended,
  frontOf,
  gameNamed,
  type ArenaTerms as KernelTerms,
  type Listing,
  movesOf,
  type PersonId,
  placeIn,
  sightIn,
} from "@openseat/kernel";
import type {
  Arena,
  ArenaAtVersion,
  ArenaGame,
  ArenaJoined,
  ArenaState,
  ArenaTerms,
  MatchResult,
  MoveMade,
  RunningMatch,
  YourPlace,
} from "@openseat/protocol";
import type { Viewer } from "../feed/watch.ts";
import type { Entry } from "../log/entry.ts";
import { makerOf } from "./makers.ts";
import { iso, secondsOf } from "./times.ts";

/** People further back in the line are not shown by name. */
const lineShownMax = 20;

export function arenaTermsView(id: string, terms: KernelTerms, settings: ArenaSettings): ArenaTerms {
  const { title, seats, drawRule, maxWins, heartbeatTimeoutMs, patienceMs } = settings;
  return {
    id,
    game: terms.game,
    options: { ...terms.options },
    labels: [...terms.labels],
    lanes: terms.lanes.map((lane) => ({ ...lane })),
    ...ratedView(terms),
    ...{ title, seats, drawRule, maxWins },
    moveTimeoutSeconds: secondsOf(settings.moveTimeoutMs),
    reconnectGraceSeconds: secondsOf(settings.reconnectGraceMs),
    heartbeatTimeoutSeconds: heartbeatTimeoutMs / 1000,
    maxWaiting: settings.lineLengthMax,
    patienceSeconds: patienceMs / 1000,
    createdBy: makerOf(terms),
    createdAt: iso(terms.createdAt),
  };
}

/** List rows of older versions have no `rated`. */
function ratedView({ rated }: Partial<KernelTerms>): Pick<ArenaTerms, "ladder" | "tier" | "tiers"> {
  const tiers = rated?.tiers ?? [];
  const own = rated ? tiers[rated.tier] : undefined;
  return {
    ladder: rated?.ladder ?? null,
    tier: own ? { name: own.name, from: own.from, below: own.below } : null,
    tiers: tiers.map(({ arena, name, from, below }) => ({ arena, name, from, below })),
  };
}

export function arenaListed(id: string, { status, summary }: Listing): Arena {
  const { terms, settings, players, waiting, matches } = summary as unknown as {
    terms: KernelTerms;
    settings: ArenaSettings;
  } & Pick<Arena, "players" | "waiting" | "matches">;
  return {
    ...arenaTermsView(id, terms, settings),
    ...{ status: status as Arena["status"], players, waiting, matches },
  };
}

export function arenaGameView(name: string | null): ArenaGame | null {
  const game = name === null ? undefined : gameNamed(name);
  if (!game) return null;
  const { title, summary, table, isSecret = false } = game;
  return {
    ...{ name: game.name, title, summary, columns: table.columns },
    cells: table.cells.map((cell) => ({ ...cell })),
    choices: table.choices.map((choice) => ({ ...choice })),
    isSecret,
  };
}

export function arenaView(id: string, room: ArenaRoom, version: number, viewer: Viewer): ArenaAtVersion {
  return {
    arena: arenaTermsView(id, room.terms, room.settings),
    game: arenaGameView(room.terms.game),
    state: {
      ...sharedView(room),
      match: matchView(room, viewer),
      you: viewer === undefined ? null : yourView(room, viewer),
    },
    version,
  };
}

/** The same for everyone. */
export function sharedView(room: ArenaRoom): Omit<ArenaState, "match" | "you"> {
  const { terms, seats, line, last } = room;
  return {
    status: arenaStatusOf(room),
    players: seats.flatMap((player, seat) => {
      if (!player) return [];
      const { person, name, streak, since } = player;
      return [{ label: terms.labels[seat], person: personView(person, name), streak, since: iso(since) }];
    }),
    line: frontOf(room, lineShownMax).map(({ person, name }, ahead) => ({
      position: ahead + 1,
      person: personView(person, name),
    })),
    waiting: line.length,
    lastMatch: last ? matchResultView(terms.labels, last.ended, last.at) : null,
    lastSight: (last?.play?.sight(undefined) as ArenaState["lastSight"]) ?? null,
  };
}

/** MT3: with the table as the viewer may see it. */
function matchView(room: ArenaRoom, viewer: Viewer): RunningMatch | null {
  const match = matchOnly(room);
  return match && { ...match, sight: (sightIn(room, viewer) as RunningMatch["sight"]) ?? null };
}

/** Without the table. */
export function matchOnly({ match, terms, seats }: ArenaRoom): Omit<RunningMatch, "sight"> | null {
  if (!match) return null;
  const { id, number, startedAt, play, moveBy } = match;
  const toMove = play?.toMove ?? [...seats.keys()].filter((seat) => seats[seat]);
  return {
    id: String(id),
    number,
    startedAt: iso(startedAt),
    turn: play?.turn ?? null,
    toMove: toMove.map((seat) => terms.labels[seat]),
    moveBy: moveBy === null ? null : iso(moveBy),
    moves: play?.moves.length ?? 0,
  };
}

function personView(person: string, name: string) {
  return { userId: person, id: person, name };
}

export function yourView(room: ArenaRoom, person: PersonId): YourPlace | null {
  const place = placeIn(room, person);
  return place ? { ...place, moves: [...movesOf(room, person)] } : null;
}

export function matchResultView(labels: readonly string[], ended: Ended, at: number): MatchResult {
  const { match, number, startedAt, winner, reason, players, moves } = ended;
  return {
    id: String(match),
    number,
    startedAt: iso(startedAt),
    endedAt: iso(at),
    winner: winner === null ? null : labels[winner],
    reason,
    players: players.map(({ seat, person, name }) => ({
      label: labels[seat],
      person: personView(person, name),
    })),
    moves,
  };
}

/** From the entry alone, so that a repeated key gets exactly the same response. */
export function arenaJoinedView({
  state,
  entry,
}: {
  state: ArenaRoom;
  entry: Entry<ArenaEvent>;
}): ArenaJoined {
  const { labels } = state.terms;
  const { version, events } = entry;
  const [entered] = events;
  if (entered.type !== "entered") throw new Error("The entry of a join has no newcomer.");
  const { ticket, waiting, behind } = entered;
  const seated = events.find((event) => event.type === "seated" && event.ticket === ticket);
  const isStart = events.some(({ type }) => type === "started");
  return {
    place:
      seated?.type === "seated"
        ? { ticket, state: "seated", label: labels[seated.seat], position: null }
        : { ticket, state: "waiting", label: null, position: waiting - behind },
    match: isStart ? String(version) : null,
  };
}

/** After a move, a resignation or a report; from the entry alone. */
export function moveMadeView({ labels }: KernelTerms, match: string, entry: Entry<ArenaEvent>): MoveMade {
  const moved = entry.events.find((event) => event.type === "moved");
  const ended = entry.events.find((event) => event.type === "ended");
  return {
    match,
    label: moved ? labels[moved.seat] : null,
    move: moved?.move ?? null,
    result: ended ? matchResultView(labels, ended, entry.at) : null,
  };
}
