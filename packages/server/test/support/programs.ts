import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

interface Wanted {
  /** The environment variable that names the program, and goes before everything else. */
  readonly variable: string;
  /** What it is called where PATH leads to it. */
  readonly names: readonly string[];
  /** Where it usually is when PATH does not lead to it. */
  readonly paths: readonly string[];
}

/** The path of a program of this machine, or undefined if it has none. Nothing is ever installed. */
export function findProgram({ variable, names, paths }: Wanted): string | undefined {
  const set = process.env[variable];
  if (set) {
    if (!isProgram(set)) throw new Error(`${variable} is set to ${set}, which is not a program.`);
    return set;
  }
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const suffix = process.platform === "win32" ? ".exe" : "";
  const inPath = names.flatMap((name) => folders.map((folder) => join(folder, `${name}${suffix}`)));
  return [...inPath, ...paths].find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
