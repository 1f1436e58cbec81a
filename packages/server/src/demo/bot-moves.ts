import type { ArenaGame, Sight } from "@openseat/client";

/** Across, down, and both diagonals. */
const directions = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
] as const;

/**
 * A move that is not quite thoughtless: it makes a row of one's own longer, or stands in the way of another's. From the
 * table alone, as a person would see it, so it does for any game in which rows count, and is a guess in all others.
 */
export function goodMove(
  game: ArenaGame,
  sight: Sight,
  own: string,
  moves: readonly string[],
  random: () => number,
): string {
  const worth = (move: string) => {
    // Where things fall, they fall to the last free cell of the move.
    const cell = game.cells.findLastIndex((it, index) => it.move === move && sight.cells[index] === null);
    if (cell < 0) return random();
    const labels = new Set(sight.cells.filter((label) => label !== null));
    const rows = [...labels].map((label) => longestRow(game, sight, cell, label) + (label === own ? 0.5 : 0));
    // A little chance, so that no two matches are alike.
    return Math.max(0, ...rows) + random();
  };
  return moves.map((move) => ({ move, worth: worth(move) })).reduce((a, b) => (b.worth > a.worth ? b : a))
    .move;
}

/** Of this label through this cell, if the cell had it too. */
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
