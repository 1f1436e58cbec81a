import type { ArenaGame, Sight } from "@openseat/client";

export type Cell = ArenaGame["cells"][number];

/** What marked cells mean: the last move during a match, the winning line after it. */
export type Stress = "last move" | "winning line";

/** The accessible name of a cell: "row 1, column 3, X, winning line". */
export function cellName(cell: Cell, content: string | null, stress: Stress | undefined): string {
  return [cell.name, content ?? "empty", stress].filter((part) => part !== undefined).join(", ");
}

/** The cell that a key moves the focus to; undefined for other keys. */
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

/** The indexes of the cells, row by row. */
export function rowsOf(game: Pick<ArenaGame, "columns" | "cells">): number[][] {
  const rows: number[][] = [];
  game.cells.forEach((_, index) => {
    if (index % game.columns === 0) rows.push([]);
    rows.at(-1)!.push(index);
  });
  return rows;
}

/** Where a move would land: the last empty cell that makes it. In tic-tac-toe that is the cell itself. */
export function landingCell(game: Pick<ArenaGame, "cells">, sight: Sight | null, move: string): number {
  return game.cells.findLastIndex(
    (cell, index) => cell.move === move && (sight?.cells[index] ?? null) === null,
  );
}

/** The seat of a label, which sets its colour; -1 for an unknown label. */
export function seatOf(labels: readonly string[], label: string): number {
  return labels.indexOf(label);
}

/** The move of a number key: 1 is the first choice. */
export function choiceOf(game: Pick<ArenaGame, "choices">, key: string): string | undefined {
  return /^[1-9]$/.test(key) ? game.choices[Number(key) - 1]?.move : undefined;
}

/** The name of a move: its cell or its choice, or the move itself. */
export function moveName(game: ArenaGame | null, move: string, sight: Sight | null = null): string {
  const choice = game?.choices.find((it) => it.move === move);
  if (choice) return choice.name;
  const cells = game?.cells.filter((it) => it.move === move) ?? [];
  if (cells.length === 1) return cells[0].name;
  // Several cells make this move, so use the one that is marked.
  const marked = sight?.marked.map((index) => game!.cells[index]).find((cell) => cell?.move === move);
  return marked?.name ?? move;
}
