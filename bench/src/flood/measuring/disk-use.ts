import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Bytes of all files in a data folder. */
export function folderBytes(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + fileBytes(join(parentPath, name)), 0);
}

/** A file may be removed during counting. */
function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
