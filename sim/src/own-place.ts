import {
  type ArenaRoom,
  type GameRoom,
  leasedTicketOf,
  type PersonId,
  placeIn,
  type TicketNumber,
} from "@openseat/kernel";
import { type Arena, placeOf } from "./arena/arena.ts";
import { type Game, livePlaceOf } from "./game/model.ts";
import type { Kind } from "./requests.ts";

/** Kinds that identify places by person, not by ticket. */
export function isByName(kind: Kind): kind is "game" | "arena" {
  return kind === "game" || kind === "arena";
}

/** The ticket of a person's place, according to the specification. */
export function ticketOf(
  kind: "game" | "arena",
  room: Game | Arena | undefined,
  by: string,
): number | undefined {
  if (!room) return undefined;
  return kind === "arena" ? placeOf(room as Arena, by)?.ticket : livePlaceOf(room as Game, by)?.ticket;
}

/** The same according to the server, if the place needs heartbeats. */
export function ticketIn(kind: "game" | "arena", by: string): (room: unknown) => TicketNumber | undefined {
  const person = by as PersonId;
  return (room) =>
    kind === "arena" ? placeIn(room as ArenaRoom, person)?.ticket : leasedTicketOf(room as GameRoom, person);
}
