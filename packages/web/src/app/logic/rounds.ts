import type { ArenaGame, Sight } from "@openseat/client";

/** A round of a game of choices: what each seat chose, where the note of the game tells. */
export interface Round {
  readonly number: number;
  /** By seat. */
  readonly chosen: readonly (string | undefined)[];
  /** The label that won it; undefined for nobody. */
  readonly winner: string | undefined;
  readonly note: string;
}

const note = /^Round (\d+): (?:both throw (\w+), nobody wins|(\w+) beats? (\w+), (\S+) wins)\.$/;

/** Whether there is anything to tell beside the board: a game with cells may have a score and notes too. */
export function tellsMore(
  game: Pick<ArenaGame, "choices">,
  { notes, score }: Pick<Sight, "notes" | "score">,
): boolean {
  return game.choices.length > 0 || notes.length > 0 || score.length > 0;
}

/** The rounds so far, the newest first. Notes that say something else are kept as they are. */
export function roundsOf(
  game: Pick<ArenaGame, "choices">,
  { notes }: Pick<Sight, "notes">,
  labels: readonly string[],
): Round[] {
  const isChoice = (word: string | undefined) => game.choices.some(({ move }) => move === word);
  return notes
    .map((text, index) => {
      const [, number, both, winning, losing, winner] = note.exec(text) ?? [];
      if (isChoice(both))
        return { number: Number(number), chosen: labels.map(() => both), winner: undefined, note: text };
      if (isChoice(winning) && isChoice(losing) && labels.includes(winner))
        return {
          number: Number(number),
          chosen: labels.map((label) => (label === winner ? winning : losing)),
          winner,
          note: text,
        };
      return { number: index + 1, chosen: [], winner: undefined, note: text };
    })
    .reverse();
}
