import type { ArenaTerms } from "@openseat/kernel";
import type { ArenaAtVersion, ArenaState, MatchResult } from "@openseat/protocol";
import type { Glance } from "../specification.ts";
import { type Arena, type FinishedMatch, placeOf, type RunningMatch, statusOf } from "./arena.ts";
import { type TableSight, throwsIn } from "./tables.ts";

/** What one viewer can know about an arena. Server views and model arenas are compared in this form. */
export interface ArenaView {
  readonly status: string;
  readonly arena: Record<string, unknown>;
  readonly state: StateView;
}

export type StateView = Record<string, unknown> & {
  readonly match:
    | (Record<string, unknown> & {
        readonly id: string;
        readonly turn: number | null;
        readonly sight: TableSight | null;
      })
    | null;
  readonly you: { readonly ticket: number; readonly state: string; readonly moves: readonly string[] } | null;
};

/** Only this many people of a long line are shown by name. */
const lineShownMax = 20;

const iso = (at: number) => new Date(at).toISOString();
const seconds = (ms: number | null) => (ms === null ? null : ms / 1000);

/** The arena as the person may see it (AR11, MT3). */
export function viewOfArena(arena: Arena, { by }: Glance): ArenaView {
  const state = stateOf(arena, by);
  return { status: state.status as string, arena: termsOf(arena), state };
}

export function termsOf({ terms, settings }: Arena): Record<string, unknown> {
  const { game, options, labels, lanes, rated, creator, createdAt } = terms;
  return {
    game,
    options,
    labels,
    lanes,
    // Simulated arenas have no tiers.
    ...{ ladder: rated?.ladder ?? null, tier: null, tiers: [] },
    title: settings.title,
    seats: settings.seats,
    drawRule: settings.drawRule,
    maxWins: settings.maxWins,
    moveTimeoutSeconds: seconds(settings.moveTimeoutMs),
    reconnectGraceSeconds: seconds(settings.reconnectGraceMs),
    heartbeatTimeoutSeconds: seconds(settings.heartbeatTimeoutMs),
    maxWaiting: settings.lineLengthMax,
    patienceSeconds: seconds(settings.patienceMs),
    createdBy: creator,
    createdAt: iso(createdAt),
  };
}

function stateOf(arena: Arena, by: string): StateView {
  const { terms, seats, line, match, last } = arena;
  const seat = seats.findIndex((player) => player?.person === by);
  const viewer = seat < 0 ? undefined : seat;
  const place = placeOf(arena, by);
  const moves = viewer === undefined ? [] : (match?.table?.legal(viewer) ?? []);
  return {
    status: statusOf(arena),
    players: seats.flatMap((player, index) => {
      if (!player) return [];
      const { person, name, streak, since } = player;
      return [
        {
          label: terms.labels[index],
          person: { userId: person, id: person, name },
          streak,
          since: iso(since),
        },
      ];
    }),
    line: line.slice(0, lineShownMax).map(({ person, name }, ahead) => ({
      position: ahead + 1,
      person: { userId: person, id: person, name },
    })),
    waiting: line.length,
    lastMatch: last && resultOf(terms.labels, last),
    lastSight: last?.table?.sight(undefined) ?? null,
    match: match && matchOf(arena, match, viewer),
    you: place ? { ...place, moves } : null,
  };
}

function matchOf({ terms, seats }: Arena, match: RunningMatch, viewer: number | undefined) {
  const { id, number, startedAt, table, turn, moveBy, moves } = match;
  const taken = [...seats.keys()].filter((seat) => seats[seat]);
  return {
    id: String(id),
    number,
    startedAt: iso(startedAt),
    turn: table ? turn : null,
    toMove: (table?.toMove ?? taken).map((seat) => terms.labels[seat]),
    moveBy: moveBy === null ? null : iso(moveBy),
    moves,
    sight: table?.sight(viewer) ?? null,
  };
}

export function resultOf(
  labels: ArenaTerms["labels"],
  { ended, at }: Pick<FinishedMatch, "ended" | "at">,
): MatchResult {
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
      person: { userId: person, id: person, name },
    })),
    moves,
  };
}

/** Converts a view from the server to the form used for comparison. */
export function viewOfArenaShown({ arena, state }: Pick<ArenaAtVersion, "arena" | "state">): ArenaView {
  const { id: _, ...terms } = arena;
  return { status: state.status, arena: terms, state: stateShown(state) as StateView };
}

/** The part of a state that was shown. */
export function stateShown({ match, lastSight, ...rest }: Partial<ArenaState>): Partial<StateView> {
  return {
    ...rest,
    ...(lastSight !== undefined && { lastSight: sightShown(lastSight) }),
    ...(match !== undefined && { match: match && { ...match, sight: sightShown(match.sight) } }),
  };
}

/** The simulator compares texts for people only where they could reveal a secret. */
export function sightShown(sight: ArenaState["lastSight"]): TableSight | null {
  if (!sight) return null;
  const { cells, score, notes, chosen } = sight;
  return { cells, score, revealed: notes.map(throwsIn), chosen };
}
