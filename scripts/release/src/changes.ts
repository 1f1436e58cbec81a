import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withReleased } from "./changelog.ts";
import { type Files, lockFileWith, manifestsWith } from "./manifests.ts";
import type { Repository } from "./repository.ts";

/** The files that a release changes, with their new contents. */
export function changesFor(
  { manifests, lockFile, changelog }: Repository,
  version: string,
  day: string,
): Files {
  return new Map([
    ...manifestsWith(version, manifests),
    ["package-lock.json", lockFileWith(version, lockFile, manifests)],
    ["CHANGELOG.md", withReleased(changelog, version, day)],
  ]);
}

/** Writes the files during `work`. They stay only if it succeeds: a failure, or Ctrl-C, leaves the work tree as it was. */
export async function changing(root: string, files: Files, work: () => Promise<void>): Promise<void> {
  const before = new Map([...files.keys()].map((path) => [path, readFileSync(join(root, path), "utf8")]));
  const undo = () => writeAll(root, before);
  const interrupted = () => {
    undo();
    process.exit(1);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.once(signal, interrupted);
  try {
    writeAll(root, files);
    await work();
  } catch (error) {
    undo();
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, interrupted);
  }
}

function writeAll(root: string, files: Files): void {
  for (const [path, text] of files) writeFileSync(join(root, path), text);
}
