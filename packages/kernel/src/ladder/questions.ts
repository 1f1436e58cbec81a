import { unusedUntil } from "../room/unused.ts";
import type { Millis, PersonId } from "../values.ts";
import type { Asker, Result } from "./commands.ts";
import { ladderLimits } from "./limits.ts";
import type { Player } from "./players.ts";
import type { StandingsCursor } from "./standings.ts";
import type { Ladder, PlayerNumber } from "./state.ts";

/** A player and their standing. */
export interface Standing extends Player {
  /** Undefined for a player who has left. */
  readonly rank: number | undefined;
  /** Too few matches, or too high a deviation, for a reliable rating. */
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

/** Whether the person is on the ladder now. */
export function isPlayer(ladder: Ladder, person: PersonId): boolean {
  const player = playerCalled(ladder, person);
  return player !== undefined && ladder.players.isPresent(player);
}

/** LD13. */
export function isBanned({ banned }: Ladder, player: PlayerNumber | undefined): boolean {
  return player !== undefined && banned.has(player);
}

/** LD7, LD11: a page of the standings, after the cursor. */
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
    // Players with the first one's rating may be on the previous page. After that, a lower rating means that the place
    // is the rank.
    const rank = above === undefined ? undefined : isEqual ? above.rank : ahead + index + 1;
    page.push(standingOf(ladder, number, rank));
  }
  return page;
}

/** Whether the ladder has room for all new players in these results. */
export function hasRoomFor(
  { players }: Ladder,
  results: readonly Result[],
  max: number = ladderLimits.playersMax,
): boolean {
  // A file may have 100,000 rows, so look up who is new only when space is short.
  if (players.size + 2 * results.length <= max) return true;
  const unknown = new Set<PersonId>();
  for (const result of results)
    for (const person of result.players) if (players.find(person) === undefined) unknown.add(person);
  return players.size + unknown.size <= max;
}

/** Who may manage the ladder: its creator, services and operators. */
export function mayManage({ terms }: Ladder, { by, role }: Asker): boolean {
  return role !== "person" || by === terms.creator;
}

export type LadderStatus = "OPEN" | "CLOSED" | "ENDED";

/** OPEN: whether people may join without an invitation. */
export function ladderStatusOf({ settings, endedAt }: Ladder): LadderStatus {
  if (endedAt !== undefined) return "ENDED";
  return settings.open ? "OPEN" : "CLOSED";
}

/** LM7: when the ladder ends if it stays unused; undefined once it has been used. */
export function unusedUntilIn({ players, imports, terms, endedAt }: Ladder): Millis | undefined {
  return players.size > 0 || imports.size > 0 || endedAt !== undefined ? undefined : unusedUntil(terms);
}

/** Whether duels can count here. A duel enrols its players, so only on ladders that anyone may join. */
export function takesDuels(ladder: Ladder): boolean {
  return ladder.settings.duels === true && ladderStatusOf(ladder) === "OPEN";
}

function isProvisional({ terms }: Ladder, { games, deviation }: Player): boolean {
  const { system, provisionalGames, provisionalDeviation } = terms.rating;
  return system === "elo" ? games < provisionalGames : deviation > provisionalDeviation;
}
