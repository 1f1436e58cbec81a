import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildPages } from "@openseat/web/build";
import { buildJavaScript } from "./javascript.ts";
import { manifestOf } from "./manifest.ts";
import { type PackageDescription, shortName } from "./packages.ts";
import { readmeOf } from "./readme.ts";
import { builtPackages, root } from "./root.ts";
import { thirdPartyLicenses } from "./third-party.ts";
import { buildTypes } from "./types/bundle-types.ts";

/** Builds a package and returns its folder, which `npm pack` takes as it is. */
export async function buildPackage(description: PackageDescription): Promise<string> {
  const { name, folder: source, entries, isServer } = description;
  const folder = join(builtPackages, shortName(name));
  const dist = join(folder, "dist");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const built = await buildJavaScript(description, dist);
  const typesFrom = Object.keys(entries).length > 0 ? await buildTypes(description, dist) : [];
  if (isServer) {
    await carryPages(join(dist, "pages"));
    cpSync(join(root, source, "bin"), join(folder, "bin"), { recursive: true });
    for (const each of configurations) cpSync(join(root, each), join(folder, each), { recursive: true });
    writeFileSync(join(folder, "THIRD-PARTY-LICENSES.md"), thirdPartyLicenses(built.inside));
  } else if (built.inside.size > 0) throw new Error(`${name} carries code of others without its licence.`);
  const needed = [...built.imports, ...typesFrom];
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify(manifestOf(description, needed), null, 2)}\n`,
  );
  writeFileSync(join(folder, "README.md"), readmeOf(source));
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  return folder;
}

/** Examples that people copy on the machine where they have installed the server. */
const configurations = ["deploy", "examples/caddy", "examples/nginx/openseat.conf", "examples/several-nodes"];

/** A folder of builds with one build, as the server expects it. */
async function carryPages(builds: string): Promise<void> {
  mkdirSync(builds);
  await buildPages({ builds });
}
