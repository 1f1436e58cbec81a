import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Files under `packages/` that the built pages depend on. */
const sources = [
  // Pins the versions of the build tools.
  "web/package.json",
  "web/vite.config.ts",
  "web/src/build/{api-reference,build-pages}.ts",
  "web/src/{app,arena,chat,game,home,ladder,ui}/**/*.{ts,tsx,css,html}",
  "client/src/**/*.ts",
  "protocol/src/**/*.ts",
];

const packages = fileURLToPath(new URL("../../../", import.meta.url));

/** A hash of everything the pages are built from. */
export function fingerprintOfSources(): string {
  const hash = createHash("sha256");
  for (const path of globSync(sources, { cwd: packages }).map(withSlashes).sort()) {
    const content = readFileSync(packages + path);
    // Hash the length too, so that moving text between files changes the fingerprint.
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return hash.digest("hex").slice(0, 20);
}

function withSlashes(path: string): string {
  return path.replaceAll("\\", "/");
}
