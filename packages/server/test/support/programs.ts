import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { waitMsMax } from "./patience.ts";

interface Wanted {
  /** The environment variable with the program's path, which takes precedence. */
  readonly variable: string;
  /** Its name on the PATH. */
  readonly names: readonly string[];
  /** Its usual path if it is not on the PATH. */
  readonly paths?: readonly string[];
  /** The argument that makes it print its version and exit. */
  readonly versionFlag?: string;
}

/** The path of a program that runs on this machine, or undefined if there is none. Nothing is installed. */
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

/** A program may exist but lack a library, or be a stub that only explains how to install it. */
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
