import type { LadderPlayer } from "@openseat/client";
import { grouped } from "../ui/words.ts";

/** How many a page of the standings holds. */
export const pageLength = 25;

/** "26 to 50 of 128". */
export function placesShown(from: number, rows: number, players: number): string {
  if (rows === 0) return "Nobody";
  return `${grouped(from)} to ${grouped(from + rows - 1)} of ${grouped(Math.max(players, from + rows - 1))}`;
}

/** The page before, and the one after; undefined where there is none. */
export function pagesAround(
  from: number,
  hasMore: boolean,
): { readonly before: number | undefined; readonly after: number | undefined } {
  return {
    before: from > 1 ? Math.max(1, from - pageLength) : undefined,
    after: hasMore ? from + pageLength : undefined,
  };
}

/** Where to begin so that somebody is in the middle of the page. */
export function pageAround(place: number): number {
  return Math.max(1, place - Math.floor(pageLength / 2));
}

/**
 * The place of a player: equals share a rank, so it may lie behind it. `equals` are the players from that rank on; when
 * the player is beyond them, their rank has to do.
 */
export function placeOf({ userId, rank }: LadderPlayer, equals: readonly LadderPlayer[]): number {
  const index = equals.findIndex((player) => player.userId === userId);
  return (rank ?? 1) + Math.max(0, index);
}
