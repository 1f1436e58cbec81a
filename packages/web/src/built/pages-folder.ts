import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Each build gets its own folder here, named by the fingerprint of its sources. */
export const buildsFolder: string = fileURLToPath(new URL("../../dist/", import.meta.url));

/** A file beside the builds that names the latest. */
export const latestFile = "latest";

/** The folder with the latest build, if there is one. */
export function pagesFolder(builds: string = buildsFolder): string | undefined {
  const latest = latestIn(builds);
  if (latest === undefined) return undefined;
  const folder = join(builds, latest);
  return isBuilt(folder) ? folder : undefined;
}

/** The fingerprint of the latest build. */
export function latestIn(builds: string): string | undefined {
  const path = join(builds, latestFile);
  return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
}

export function isBuilt(folder: string): boolean {
  return existsSync(join(folder, "index.html"));
}
