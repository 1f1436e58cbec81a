import type { ArenaGame, Sight } from "@openseat/client";

/** An entry beside the board: a round in which everyone chose at once, or a note of the game. */
export interface RoundEntry {
  readonly number: number;
  /** By seat; empty for a note. */
  readonly chosen: readonly string[];
  /** The label that won the round; undefined for a tie. */
  readonly winner: string | undefined;
  readonly note: string;
}

/** Whether there is anything to show beside the board. A game with cells may have a score and notes too. */
export function hasRoundLog(
  game: Pick<ArenaGame, "choices">,
  { notes, score }: Pick<Sight, "notes" | "score">,
): boolean {
  return game.choices.length > 0 || notes.length > 0 || score.length > 0;
}

/** Newest first. Games that report rounds are shown by their rounds, others by their notes. */
export function roundLog(
  { notes, rounds }: Pick<Sight, "notes" | "rounds">,
  labels: readonly string[],
): RoundEntry[] {
  const entries = rounds
    ? rounds.map(({ number, chosen, winner }) => ({
        number,
        chosen,
        winner: winner === null ? undefined : labels[winner],
        note: "",
      }))
    : notes.map((note, index) => ({ number: index + 1, chosen: [], winner: undefined, note }));
  return entries.reverse();
}
