import { unusedUntil } from "../room/unused.ts";
import type { Millis, PersonId } from "../values.ts";
import type { Asker, Result } from "./commands.ts";
import { ladderLimits } from "./limits.ts";
import type { Player } from "./players.ts";
import type { StandingsCursor } from "./standings.ts";
import type { Ladder, PlayerNumber } from "./state.ts";

/** A player, and where they stand. */
export interface Standing extends Player {
  /** Undefined for someone who has left. */
  readonly rank: number | undefined;
  /** Too little is known of them yet. */
  readonly provisional: boolean;
}

export function standingOf(
  ladder: Ladder,
  number: PlayerNumber,
  rank = ladder.standings.rankOf(number),
): Standing {
  const player = ladder.players.get(number);
  return { ...player, rank, provisional: isProvisional(ladder, player) };
}

export function playerCalled(ladder: Ladder, person: PersonId): PlayerNumber | undefined {
  return ladder.players.find(person);
}

/** Whether they are on the ladder now. */
export function isPlayer(ladder: Ladder, person: PersonId): boolean {
  const player = playerCalled(ladder, person);
  return player !== undefined && ladder.players.isPresent(player);
}

/** LD13. */
export function isBanned({ banned }: Ladder, player: PlayerNumber | undefined): boolean {
  return player !== undefined && banned.has(player);
}

/** LD7, LD11: a page of the standings, behind the cursor. */
export function standingsAfter(
  ladder: Ladder,
  cursor: StandingsCursor | undefined,
  limit: number,
): Standing[] {
  const { ahead, players } = ladder.standings.after(cursor, limit);
  const page: Standing[] = [];
  for (const [index, number] of players.entries()) {
    const above = page.at(-1);
    const isEqual = above?.rating === ladder.players.ratingOf(number);
    // Of the first, others with as much may stand on the page before; behind somebody with more, the place is the rank.
    const rank = above === undefined ? undefined : isEqual ? above.rank : ahead + index + 1;
    page.push(standingOf(ladder, number, rank));
  }
  return page;
}

/** Whether all of those who played can be players, as far as they are not. */
export function hasRoomFor(
  { players }: Ladder,
  results: readonly Result[],
  max: number = ladderLimits.playersMax,
): boolean {
  // Whether they are players need not be looked up when there is room for all: a file may have 100,000 rows.
  if (players.size + 2 * results.length <= max) return true;
  const unknown = new Set<PersonId>();
  for (const result of results)
    for (const person of result.players) if (players.find(person) === undefined) unknown.add(person);
  return players.size + unknown.size <= max;
}

/** Those whose word about others is taken: the one who made the ladder, services and operators. */
export function mayManage({ terms }: Ladder, { by, role }: Asker): boolean {
  return role !== "person" || by === terms.creator;
}

export type LadderStatus = "OPEN" | "CLOSED" | "ENDED";

/** OPEN: people enrol by themselves. */
export function ladderStatusOf({ settings, endedAt }: Ladder): LadderStatus {
  if (endedAt !== undefined) return "ENDED";
  return settings.open ? "OPEN" : "CLOSED";
}

/** LM7: when it ends unless somebody comes; undefined once somebody has. */
export function unusedUntilIn({ players, imports, terms, endedAt }: Ladder): Millis | undefined {
  return players.size > 0 || imports.size > 0 || endedAt !== undefined ? undefined : unusedUntil(terms);
}

/** Whoever duels becomes a player by it: so not where nobody enrols by themselves. */
export function takesDuels(ladder: Ladder): boolean {
  return ladder.settings.duels === true && ladderStatusOf(ladder) === "OPEN";
}

function isProvisional({ terms }: Ladder, { games, deviation }: Player): boolean {
  const { system, provisionalGames, provisionalDeviation } = terms.rating;
  return system === "elo" ? games < provisionalGames : deviation > provisionalDeviation;
}
