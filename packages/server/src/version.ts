import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ourNames = ["openseat", "@openseat/server"];

/** The version of Openseat, from its package.json: of this workspace, or beside the built code of the published package. */
export const version: string = versionAbove(import.meta.dirname);

function versionAbove(folder: string): string {
  const found = readManifest(join(folder, "package.json"));
  if (found?.version !== undefined && ourNames.includes(found.name ?? "")) return found.version;
  // A program that bundles Openseat into its own code has no package.json of Openseat.
  return dirname(folder) === folder ? "unknown" : versionAbove(dirname(folder));
}

function readManifest(path: string): { readonly name?: string; readonly version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
