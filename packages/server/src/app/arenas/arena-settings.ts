import type { ArenaSettings, Refusal } from "@openseat/kernel";
import { type ArenaChanges, Id, type NewArena } from "@openseat/protocol";
import { invalidInput } from "../invalid-input.ts";
import { faultInLanes } from "../queues/given-lanes.ts";
import { ms, onlyGiven } from "../rooms/rooms.ts";
import { validator } from "../validation.ts";
import { tierId } from "./arena-rating.ts";

/** A game played elsewhere has no clock, because no moves are made here. */
export function arenaDefaults(game: string | null): Omit<ArenaSettings, "title" | "seats"> {
  return {
    drawRule: "longest-leaves",
    maxWins: null,
    moveTimeoutMs: game === null ? null : 30_000,
    reconnectGraceMs: 15_000,
    heartbeatTimeoutMs: 60_000,
    lineLengthMax: 10_000,
    patienceMs: 10 * 60_000,
  };
}

export function settingsFrom(given: ArenaChanges): Partial<ArenaSettings> {
  return onlyGiven<ArenaSettings>({
    title: given.title?.trim(),
    seats: given.seats,
    drawRule: given.drawRule,
    maxWins: given.maxWins,
    moveTimeoutMs: ms(given.moveTimeoutSeconds),
    reconnectGraceMs: ms(given.reconnectGraceSeconds),
    heartbeatTimeoutMs: ms(given.heartbeatTimeoutSeconds),
    lineLengthMax: given.maxWaiting,
    patienceMs: ms(given.patienceSeconds),
  });
}

const faultInId = validator(Id);

/** Faults that a schema cannot express. */
export function faultIn({ id, game, labels, lanes = [], ladder, tiers = [] }: NewArena): Refusal | undefined {
  if (game !== null && labels) return invalidInput("body", "labels", "are only for games played elsewhere");
  if (tiers.length > 0 && ladder === undefined)
    return invalidInput("body", "ladder", "is required with tiers");
  // No request could reach an arena whose id is too long.
  if (id !== undefined && tiers.length > 0 && faultInId(tierId(id, tiers.length)))
    return invalidInput("body", "id", "is too long: the arena of each tier appends its number");
  if (new Set(tiers.map(({ name }) => name.trim())).size < tiers.length)
    return invalidInput("body", "tiers", "must have different names");
  const fallen = tiers.findIndex(({ from }, index) => index > 0 && from <= tiers[index - 1].from);
  if (fallen > 0)
    return invalidInput("body", `tiers.${fallen}.from`, "must be greater than that of the tier before");
  return faultInLanes(lanes);
}
