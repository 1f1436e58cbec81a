import type { AnyGame } from "./game.ts";
import { connectFour } from "./games/connect-four.ts";
import { rockPaperScissors } from "./games/rock-paper-scissors.ts";
import { ticTacToe } from "./games/tic-tac-toe.ts";

/** Every game that arenas can have. */
export const catalogue: readonly AnyGame[] = [
  // In the order in which they are offered.
  ticTacToe,
  connectFour,
  rockPaperScissors,
];

const byName: ReadonlyMap<string, AnyGame> = new Map(catalogue.map((game) => [game.name, game]));

export function gameNamed(name: string): AnyGame | undefined {
  return byName.get(name);
}
