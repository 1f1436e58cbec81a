import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Folders that are still there, as where all tests of a suite are skipped and no hook runs. They go with this process. */
const made = new Set<string>();
process.once("exit", () => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

/** An empty folder that goes away with the test; its name is of no importance. */
export function tempFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "openseat-test-"));
  made.add(path);
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true });
      made.delete(path);
    },
  };
}
