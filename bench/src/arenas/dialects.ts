import { keyOf } from "../persons.ts";
import { livePath } from "../ws-load.ts";
import { readSighting, readVersion, type Sighting, type Turn } from "./view-reader.ts";

/** How players talk to each server. */
export type Dialect = {
  path(room: number): string;
  /** Sent one after the other on a new connection; each waits for its answer. */
  greetings(room: number, seat: number): readonly string[];
  read(seat: number, bytes: Buffer, start: number, end: number): Sighting;
  /** The first player to move, if the server does not announce it. */
  readonly opening: Turn | undefined;
};

/** Settings of Openseat for the players' process. */
export type OpenseatSide = {
  readonly arenas: readonly string[];
  /** One per person, ordered by arena. */
  readonly tokens: readonly string[];
};

export function openseatDialect({ arenas, tokens }: OpenseatSide): Dialect {
  const perArena = tokens.length / arenas.length;
  return {
    path: () => livePath,
    greetings: (room, seat) => [
      JSON.stringify({ id: 1, type: "auth", token: tokens[room * perArena + seat] }),
      JSON.stringify({ id: 2, type: "watch", arena: arenas[room] }),
      JSON.stringify({ id: 3, type: "join", arena: arenas[room] }),
    ],
    read: (_seat, bytes, start, end) => readSighting(bytes, start, end),
    opening: undefined,
  };
}

const bareTurn: Turn = { match: "100", turn: 1, moves: ["b2"] };
const bareSighting: Sighting = { version: 0, turn: undefined };

/** The bare server has no rules: the first two people of a room alternate. */
export const bareDialect: Dialect = {
  path: (room) => `/${room}`,
  greetings: () => [],
  read(seat, bytes, start) {
    const version = readVersion(bytes, start) ?? 0;
    bareSighting.version = version;
    bareSighting.turn = version % 2 === seat ? bareTurn : undefined;
    return bareSighting;
  },
  opening: bareTurn,
};

/** A move with its own key, as the client library sends it. */
export function moveText(
  arena: string,
  { match, turn }: Turn,
  move: string,
  { number, keyStart }: { readonly number: number; readonly keyStart: string },
): string {
  const key = keyOf(keyStart, number);
  return `{"id":${number},"type":"move","arena":"${arena}","match":"${match}","turn":${turn},"move":"${move}","key":"${key}"}`;
}
