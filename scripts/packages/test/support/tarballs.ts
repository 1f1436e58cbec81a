import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { shortName } from "../../src/packages.ts";
import { builtPackages, tarballs } from "../../src/root.ts";

/** The folder of a built package. */
export function builtFolder(name: string): string {
  const folder = join(builtPackages, shortName(name));
  if (!existsSync(folder)) throw new Error(`${name} has not been built: run \`npm run packages\`.`);
  return folder;
}

/** The packed file of a built package. */
export function tarballOf(name: string): string {
  const { version } = JSON.parse(readFileSync(join(builtFolder(name), "package.json"), "utf8"));
  return join(tarballs, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
}
