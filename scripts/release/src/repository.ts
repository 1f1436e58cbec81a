import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { git, linesOf } from "./git.ts";
import { type Files, manifestsIn, versionsOf } from "./manifests.ts";

/** What a release is made from. */
export interface Repository {
  readonly root: string;
  /** Empty if no branch is checked out. */
  readonly branch: string;
  /** Paths of files that are not committed, with git's letters. */
  readonly changes: readonly string[];
  readonly tags: readonly string[];
  readonly manifests: Files;
  /** The version of each package.json, by its path. */
  readonly versions: ReadonlyMap<string, string>;
  /** The version of the last release. */
  readonly version: string;
  readonly changelog: string;
  readonly lockFile: string;
}

export function readRepository(root: string): Repository {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const manifests = manifestsIn(root, linesOf(git(root, "ls-files")));
  const versions = versionsOf(manifests);
  return {
    root,
    branch: git(root, "branch", "--show-current"),
    changes: linesOf(git(root, "status", "--porcelain")),
    tags: linesOf(git(root, "tag", "--list")),
    manifests,
    versions,
    version: versions.get("package.json")!,
    changelog: read("CHANGELOG.md"),
    lockFile: read("package-lock.json"),
  };
}

/** Where the data of a release is that later ones must open. */
export function dataOf(version: string): string {
  return `packages/server/test/upgrade/written-by-${version}`;
}

export function hasDataOf({ root }: Repository, version: string): boolean {
  return existsSync(join(root, dataOf(version), "database.sql"));
}

export const recorder = "packages/server/test/upgrade/record/main.ts";
