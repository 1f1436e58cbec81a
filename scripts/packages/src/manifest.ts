import { readFileSync } from "node:fs";
import { join } from "node:path";
import { entryName } from "./entries.ts";
import type { PackageDescription } from "./packages.ts";
import { root } from "./root.ts";

/** A package.json, as far as it is read here. */
interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly peerDependenciesMeta?: object;
  readonly optionalDependencies?: Versions;
}

type Versions = Readonly<Record<string, string>>;

/** The package.json of the published package. */
export function manifestOf(description: PackageDescription, imports: readonly string[]): object {
  const { name, folder, keywords, node, isServer, isCommonJsToo, entries } = description;
  const source = readManifest(folder);
  const dependencies = dependenciesOf(description, source, imports);
  const isLibrary = !isServer;
  return {
    name,
    version: source.version,
    description: source.description,
    keywords,
    license: source.license,
    type: "module",
    // For tools that do not read `exports`.
    ...(isCommonJsToo && { main: "./dist/index.cjs", types: "./dist/index.d.cts" }),
    ...(isServer && { bin: { openseat: "bin/openseat.js" } }),
    exports: exportsOf(entries, isCommonJsToo),
    files: isServer ? ["bin", "deploy", "dist", "examples", "THIRD-PARTY-LICENSES.md"] : ["dist"],
    engines: { node },
    ...(isLibrary && { sideEffects: false }),
    ...(Object.keys(dependencies).length > 0 && { dependencies }),
    ...(source.peerDependencies && { peerDependencies: source.peerDependencies }),
    ...(source.peerDependenciesMeta && { peerDependenciesMeta: source.peerDependenciesMeta }),
    ...(isServer && { optionalDependencies: readManifest(".").optionalDependencies }),
  };
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
}

function exportsOf(entries: Readonly<Record<string, string>>, isCommonJsToo: boolean): object {
  const each = Object.keys(entries).map((subpath) => {
    const file = (extension: string) => `./dist/${entryName(subpath)}${extension}`;
    const modules = { types: file(".d.ts"), default: file(".js") };
    const both = { import: modules, require: { types: file(".d.cts"), default: file(".cjs") } };
    return [subpath, isCommonJsToo ? both : modules];
  });
  return { ...Object.fromEntries(each), "./package.json": "./package.json" };
}

/** What is imported, also by the types. A server gets exactly the versions that it was tested with; a library shares its dependencies. */
function dependenciesOf(
  description: PackageDescription,
  source: Manifest,
  imports: readonly string[],
): Versions {
  const { name, isServer, inside } = description;
  const peers = Object.keys(source.peerDependencies ?? {});
  const needed = [...new Set(imports)].filter((each) => !peers.includes(each)).sort();
  const unused = Object.keys(source.dependencies ?? {}).filter(
    (each) => !needed.includes(each) && !inside.includes(each),
  );
  if (unused.length > 0) throw new Error(`${name} does not need ${unused.join(", ")}.`);
  const versions = needed.map((each) => {
    const version = source.dependencies?.[each];
    if (version === undefined) throw new Error(`${name} imports ${each}, which is not in its dependencies.`);
    const isOurs = each.startsWith("@openseat/");
    return [each, isServer || isOurs ? version : `^${version}`];
  });
  return Object.fromEntries(versions);
}
