import { readFileSync } from "node:fs";
import { join } from "node:path";

type Versions = Record<string, string>;

/** A package.json, or what a lock file repeats of it, as far as it has versions of ours. */
interface Manifest {
  name?: string;
  version?: string;
  dependencies?: Versions;
  devDependencies?: Versions;
  optionalDependencies?: Versions;
  peerDependencies?: Versions;
}

interface LockFile {
  version: string;
  packages: Record<string, Manifest>;
}

const kinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"] as const;

/** The files with the version of the packages, by their paths in the repository. */
export type Files = ReadonlyMap<string, string>;

/** Each package.json that has a version. Projects in tests have none. */
export function manifestsIn(root: string, tracked: readonly string[]): Files {
  const paths = tracked.filter((path) => /(?:^|\/)package\.json$/.test(path));
  const files = paths.map((path) => [path, readFileSync(join(root, path), "utf8")] as const);
  return new Map(files.filter(([, text]) => read<Manifest>(text).version !== undefined));
}

/** The version of each package.json. */
export function versionsOf(manifests: Files): ReadonlyMap<string, string> {
  return new Map([...manifests].map(([path, text]) => [path, read<Manifest>(text).version!]));
}

/** Each package.json with this version, of itself and of the packages of this repository that it needs. */
export function manifestsWith(version: string, manifests: Files): Files {
  const ours = namesIn(manifests);
  return new Map([...manifests].map(([path, text]) => [path, write(bumped(read(text), version, ours))]));
}

/** The lock file as `npm install` would write it, which needs the registry. */
export function lockFileWith(version: string, lockFile: string, manifests: Files): string {
  const ours = namesIn(manifests);
  const content = read<LockFile>(lockFile);
  for (const [path, manifest] of Object.entries(content.packages))
    if (!path.split("/").includes("node_modules")) bumped(manifest, version, ours);
  return write({ ...content, version });
}

/** Changes the manifest, and returns it. */
function bumped(manifest: Manifest, version: string, ours: ReadonlySet<string>): Manifest {
  if (manifest.version !== undefined) manifest.version = version;
  for (const needed of kinds.map((kind) => manifest[kind] ?? {}))
    for (const [name, range] of Object.entries(needed))
      if (ours.has(name)) needed[name] = range.replace(/\d+\.\d+\.\d+$/, version);
  return manifest;
}

function namesIn(manifests: Files): ReadonlySet<string> {
  return new Set([...manifests.values()].map((text) => read<Manifest>(text).name!));
}

function read<Content>(text: string): Content {
  return JSON.parse(text);
}

function write(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
