import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An empty folder for one test. */
export function tempFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "openseat-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
