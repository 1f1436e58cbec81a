import type { ArenaGame, Sight } from "@openseat/client";

export type Cell = ArenaGame["cells"][number];

/** What marked cells are: the last move while a match goes on, the line that has won afterwards. */
export type Stress = "last move" | "winning line";

/** What a screen reader says of a cell: "row 1, column 3, X, winning line". */
export function cellName(cell: Cell, content: string | null, stress: Stress | undefined): string {
  return [cell.name, content ?? "empty", stress].filter((part) => part !== undefined).join(", ");
}

/** The cell that a key leads to, from the one that has the focus; undefined for keys that move nothing. */
export function cellAfter(key: string, from: number, columns: number, cells: number): number | undefined {
  const column = from % columns;
  const row = from - column;
  switch (key) {
    case "ArrowLeft":
      return column > 0 ? from - 1 : from;
    case "ArrowRight":
      return column < columns - 1 && from + 1 < cells ? from + 1 : from;
    case "ArrowUp":
      return from >= columns ? from - columns : from;
    case "ArrowDown":
      return from + columns < cells ? from + columns : from;
    case "Home":
      return row;
    case "End":
      return Math.min(row + columns, cells) - 1;
    case "PageUp":
      return column;
    case "PageDown":
      return column + Math.floor((cells - 1 - column) / columns) * columns;
    default:
      return undefined;
  }
}

/** Cells row by row, each with its number. */
export function rowsOf(game: Pick<ArenaGame, "columns" | "cells">): number[][] {
  const rows: number[][] = [];
  game.cells.forEach((_, index) => {
    if (index % game.columns === 0) rows.push([]);
    rows.at(-1)!.push(index);
  });
  return rows;
}

/** Where a move would show: the last empty cell among those that make it. In tic-tac-toe that is the cell itself. */
export function landingCell(game: Pick<ArenaGame, "cells">, sight: Sight | null, move: string): number {
  return game.cells.findLastIndex(
    (cell, index) => cell.move === move && (sight?.cells[index] ?? null) === null,
  );
}

/** The seat of a label, by which it is coloured; -1 for what is no label. */
export function seatOf(labels: readonly string[], label: string): number {
  return labels.indexOf(label);
}

/** The choice that a number key means: 1 is the first. */
export function choiceOf(game: Pick<ArenaGame, "choices">, key: string): string | undefined {
  return /^[1-9]$/.test(key) ? game.choices[Number(key) - 1]?.move : undefined;
}

/** What a move is called: by its cell, its choice, or else as it is. */
export function moveName(game: ArenaGame | null, move: string, sight: Sight | null = null): string {
  const choice = game?.choices.find((it) => it.move === move);
  if (choice) return choice.name;
  const cells = game?.cells.filter((it) => it.move === move) ?? [];
  if (cells.length === 1) return cells[0].name;
  // Several cells make this move: it is the one that the table stresses.
  const marked = sight?.marked.map((index) => game!.cells[index]).find((cell) => cell?.move === move);
  return marked?.name ?? move;
}
