import { execFileSync } from "node:child_process";

/** What a git command prints. */
export function git(root: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

export function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}
