import type { AnyGame } from "./game.ts";
import { connectFour } from "./games/connect-four.ts";
import { rockPaperScissors } from "./games/rock-paper-scissors.ts";
import { ticTacToe } from "./games/tic-tac-toe.ts";

/** The games that arenas can play. */
export const catalogue: readonly AnyGame[] = [
  // In the order in which pages show them.
  ticTacToe,
  connectFour,
  rockPaperScissors,
];

const byName: ReadonlyMap<string, AnyGame> = new Map(catalogue.map((game) => [game.name, game]));

/** A room needs the rules of a game that this build does not have. Another build created the room. */
export class RulesMissing extends Error {
  override readonly name = "RulesMissing";
  /** The name of the game. */
  readonly game: string;

  constructor(game: string) {
    super(`This build has no rules of the game ${game}.`);
    this.game = game;
  }
}

export function gameNamed(name: string): AnyGame | undefined {
  return byName.get(name);
}
