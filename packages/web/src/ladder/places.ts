import type { LadderPlayer } from "@openseat/client";
import { grouped } from "../ui/words.ts";

/** Players per page of the standings. */
export const pageLength = 25;

/** "26 to 50 of 128". */
export function placesShown(from: number, rows: number, players: number): string {
  if (rows === 0) return "Nobody";
  return `${grouped(from)} to ${grouped(from + rows - 1)} of ${grouped(Math.max(players, from + rows - 1))}`;
}

/** The start of the previous and of the next page; undefined if there is none. */
export function pagesAround(
  from: number,
  hasMore: boolean,
): { readonly before: number | undefined; readonly after: number | undefined } {
  return {
    before: from > 1 ? Math.max(1, from - pageLength) : undefined,
    after: hasMore ? from + pageLength : undefined,
  };
}

/** The start of the page that has this place in its middle. */
export function pageAround(place: number): number {
  return Math.max(1, place - Math.floor(pageLength / 2));
}

/**
 * The place of a player. Equal players share a rank, so the place may be lower than the rank. `equals` are the players
 * from that rank on; if the player is not among them, the rank is used.
 */
export function placeOf({ userId, rank }: LadderPlayer, equals: readonly LadderPlayer[]): number {
  const index = equals.findIndex((player) => player.userId === userId);
  return (rank ?? 1) + Math.max(0, index);
}
