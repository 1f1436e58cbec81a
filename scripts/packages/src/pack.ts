import { execFile } from "node:child_process";
import { globSync, mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { tarballs } from "./root.ts";

/** Packs a built package and returns the path of the file. Removes the files of its other versions. */
export async function pack(folder: string): Promise<string> {
  mkdirSync(tarballs, { recursive: true });
  const name = basename(folder);
  for (const file of globSync(`${name === "openseat" ? name : `openseat-${name}`}-[0-9]*.tgz`, {
    cwd: tarballs,
  }))
    rmSync(join(tarballs, file));
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", tarballs];
  // npm is a script on Windows.
  const { stdout } = await promisify(execFile)("npm", args, {
    cwd: folder,
    shell: process.platform === "win32",
  });
  return join(tarballs, fileNameIn(stdout));
}

/** npm prints a list up to version 11, and later an object by the names of the packages. */
function fileNameIn(json: string): string {
  const [packed] = Object.values(JSON.parse(json)) as { filename: string }[];
  return packed.filename;
}
