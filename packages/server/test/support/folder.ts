import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Folders that remain when no hook runs, as in a skipped suite. They are deleted with this process. */
const made = new Set<string>();
process.once("exit", () => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

/** The folder of this test run, if `scripts/test.ts` created one. It is in memory if the machine has enough. */
export const runFolder = process.env.OPENSEAT_TEST_RUN_FOLDER;

export interface TempFolder {
  readonly path: string;
  remove(): void;
}

/** For tests of crashes and of the disk itself. */
export const diskFolder = () => tempFolder(tmpdir());

/** An empty folder that is deleted with the test. Its name does not matter. */
export function tempFolder(parent = runFolder ?? tmpdir()): TempFolder {
  const path = mkdtempSync(join(parent, "openseat-test-"));
  made.add(path);
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true });
      made.delete(path);
    },
  };
}
