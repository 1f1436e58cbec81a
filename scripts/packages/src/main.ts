import { buildPackage } from "./build-package.ts";
import { pack } from "./pack.ts";
import { type PackageDescription, packagesToBuild, UnknownPackage } from "./packages.ts";

/**
 * `npm run packages [names]`: builds the packages to publish into `build/packages`, and packs them into `build/tarballs`.
 * Names may be short: `client`, `react`, `gate`, `server`.
 */
for (const description of chosen(process.argv.slice(2))) {
  const startedAt = Date.now();
  const tarball = await pack(await buildPackage(description));
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(`${description.name}: ${tarball} (${seconds} s)\n`);
}

function chosen(names: readonly string[]): readonly PackageDescription[] {
  try {
    return packagesToBuild(names);
  } catch (error) {
    if (!(error instanceof UnknownPackage)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
