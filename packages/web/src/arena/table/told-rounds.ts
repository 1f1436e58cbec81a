import type { ArenaGame, Sight } from "@openseat/client";

/** What is told beside the board: a round in which all chose at once, or a sentence of the game's own. */
export interface Told {
  readonly number: number;
  /** By seat; empty for a sentence. */
  readonly chosen: readonly string[];
  /** The label that won the round; undefined for nobody. */
  readonly winner: string | undefined;
  readonly note: string;
}

/** Whether there is anything to tell beside the board: a game with cells may have a score and notes too. */
export function tellsMore(
  game: Pick<ArenaGame, "choices">,
  { notes, score }: Pick<Sight, "notes" | "score">,
): boolean {
  return game.choices.length > 0 || notes.length > 0 || score.length > 0;
}

/** The newest first. A game that tells its rounds is told by them, with pictures; any other in its own words. */
export function toldBy(
  { notes, rounds }: Pick<Sight, "notes" | "rounds">,
  labels: readonly string[],
): Told[] {
  const told = rounds
    ? rounds.map(({ number, chosen, winner }) => ({
        number,
        chosen,
        winner: winner === null ? undefined : labels[winner],
        note: "",
      }))
    : notes.map((note, index) => ({ number: index + 1, chosen: [], winner: undefined, note }));
  return told.reverse();
}
