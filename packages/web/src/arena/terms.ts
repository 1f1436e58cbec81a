import type { ArenaAtVersion } from "@openseat/client";
import { counted, span } from "../ui/words.ts";

type Terms = Pick<
  ArenaAtVersion["arena"],
  "drawRule" | "maxWins" | "moveTimeoutSeconds" | "options" | "game"
>;

/** The rules of an arena in one line. */
export function arenaRules({ maxWins, moveTimeoutSeconds, options, game }: Terms): string {
  const stay = maxWins === null ? "" : `, for at most ${counted(maxWins, "win", "wins")}`;
  const sentences = [`The winner stays${stay}.`];
  if (options.bestOf !== undefined) sentences.unshift(`Best of ${options.bestOf}.`);
  if (moveTimeoutSeconds !== null)
    sentences.push(`${span(moveTimeoutSeconds * 1_000)} per ${game === null ? "match" : "turn"}.`);
  return sentences.join(" ");
}
