import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Folders that are still there, as where all tests of a suite are skipped and no hook runs. They go with this process. */
const made = new Set<string>();
process.once("exit", () => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

/** A folder of this test run, if `scripts/test.ts` made one. It is in memory where the machine has enough of it. */
export const runFolder = process.env.OPENSEAT_TEST_RUN_FOLDER;

interface TempFolder {
  readonly path: string;
  remove(): void;
}

/** For tests of crashes and of the disk itself. */
export const diskFolder = () => tempFolder(tmpdir());

/** An empty folder that goes away with the test; its name is of no importance. */
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
