import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "./root.ts";

/** The sources of a package of this repository, by what is imported: `@openseat/client` is `packages/client/src/index.ts`. */
export function sourcesOf(name: string): Readonly<Record<string, string>> {
  const folder = `packages/${name.replace("@openseat/", "")}`;
  const { exports } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const each = Object.entries<string>(exports);
  return Object.fromEntries(
    each.map(([subpath, source]) => [posix.join(name, subpath), posix.join(folder, source)]),
  );
}
