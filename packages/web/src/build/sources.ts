import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Of `packages/`, what a change of which changes the pages. */
const sources = [
  // The exact versions of what the pages are built with.
  "web/package.json",
  "web/vite.config.ts",
  "web/src/build/api-reference.ts",
  "web/src/{app,arena,chat,game,home,ladder,ui}/**/*.{ts,tsx,css,html}",
  "client/src/**/*.ts",
  "protocol/src/**/*.ts",
];

const packages = fileURLToPath(new URL("../../../", import.meta.url));

/** Stands for all that the pages are made of: the same sources and programs give the same pages. */
export function fingerprintOfSources(): string {
  const hash = createHash("sha256");
  for (const path of globSync(sources, { cwd: packages }).map(withSlashes).sort()) {
    const content = readFileSync(packages + path);
    // With its length, so that no text can pass for the end of one file and the beginning of another.
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return hash.digest("hex").slice(0, 20);
}

function withSlashes(path: string): string {
  return path.replaceAll("\\", "/");
}
