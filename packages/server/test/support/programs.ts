import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { waitMsMax } from "./patience.ts";

interface Wanted {
  /** The environment variable that names the program, and goes before everything else. */
  readonly variable: string;
  /** What it is called where PATH leads to it. */
  readonly names: readonly string[];
  /** Where it usually is when PATH does not lead to it. */
  readonly paths?: readonly string[];
  /** What makes it tell its version and end. */
  readonly versionFlag?: string;
}

/** The path of a program that runs on this machine, or undefined if it has none. Nothing is ever installed. */
export function findProgram(wanted: Wanted): string | undefined {
  const { variable, names, paths = [], versionFlag = "--version" } = wanted;
  const isProgram = (path: string) => isExecutable(path) && runs(path, versionFlag);
  const set = process.env[variable];
  if (set) {
    if (!isProgram(set)) throw new Error(`${variable} is set to ${set}, which is not a program that runs.`);
    return set;
  }
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const suffix = process.platform === "win32" ? ".exe" : "";
  const inPath = names.flatMap((name) => folders.map((folder) => join(folder, `${name}${suffix}`)));
  return [...inPath, ...paths].find(isProgram);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A program may be there and lack a library, or be a stub that only says how to install it. */
function runs(path: string, versionFlag: string): boolean {
  // There, browsers open a window instead.
  if (process.platform === "win32") return true;
  try {
    execFileSync(path, [versionFlag], { stdio: "ignore", timeout: waitMsMax });
    return true;
  } catch {
    return false;
  }
}
