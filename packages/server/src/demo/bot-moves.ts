import type { ArenaGame, Sight } from "@openseat/client";

/** Across, down, and both diagonals. */
const directions = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
] as const;

/**
 * Picks a sensible move: one that extends an own row or blocks another player's. It only looks at the table, like a person, so
 * it fits games in which rows count and guesses in others.
 */
export function goodMove(
  game: ArenaGame,
  sight: Sight,
  own: string,
  moves: readonly string[],
  random: () => number,
): string {
  const worth = (move: string) => {
    // In games where pieces fall, they fall to the last free cell of the move.
    const cell = game.cells.findLastIndex((it, index) => it.move === move && sight.cells[index] === null);
    if (cell < 0) return random();
    const labels = new Set(sight.cells.filter((label) => label !== null));
    const rows = [...labels].map((label) => longestRow(game, sight, cell, label) + (label === own ? 0.5 : 0));
    // A little randomness, so that no two matches are alike.
    return Math.max(0, ...rows) + random();
  };
  return moves.map((move) => ({ move, worth: worth(move) })).reduce((a, b) => (b.worth > a.worth ? b : a))
    .move;
}

/** Length of this label's longest row through the cell, if the label were there. */
function longestRow({ columns, cells }: ArenaGame, sight: Sight, cell: number, label: string): number {
  const rows = cells.length / columns;
  const run = (stepX: number, stepY: number) => {
    let [x, y] = [(cell % columns) + stepX, Math.floor(cell / columns) + stepY];
    let length = 0;
    while (x >= 0 && x < columns && y >= 0 && y < rows && sight.cells[y * columns + x] === label) {
      length++;
      x += stepX;
      y += stepY;
    }
    return length;
  };
  return Math.max(...directions.map(([x, y]) => 1 + run(x, y) + run(-x, -y)));
}
