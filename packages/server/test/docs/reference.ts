import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../../..");

/** A file of the repository, by its path from the root. */
export function readRepoFile(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Paths from the root, without installed packages and build output. */
export function repoFiles(...patterns: readonly string[]): string[] {
  return globSync([...patterns], { cwd: root, exclude: (path) => path.includes("node_modules") })
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
}

/** The rows of the Markdown tables whose header begins with these columns, cell by cell, without backticks around a cell. */
export function tableRows(path: string, columns: readonly string[]): string[][] {
  const rows: string[][] = [];
  let inside = false;
  for (const line of readRepoFile(path).split("\n")) {
    if (!line.startsWith("|")) {
      inside = false;
      continue;
    }
    const cells = line
      .slice(1, line.lastIndexOf("|"))
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replace(/^`([^`]*)`$/, "$1"));
    if (columns.every((column, index) => cells[index] === column)) inside = true;
    else if (inside && !/^[-: ]+$/.test(cells[0])) rows.push(cells);
  }
  return rows;
}
