import { buildPackage } from "./build-package.ts";
import { pack } from "./pack.ts";
import { packagesToBuild } from "./packages.ts";

/** `npm run packages [names]`: builds the packages to publish into `build/packages`, and packs them into `build/tarballs`. */
for (const description of packagesToBuild(process.argv.slice(2))) {
  const startedAt = Date.now();
  const tarball = await pack(await buildPackage(description));
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(`${description.name}: ${tarball} (${seconds} s)\n`);
}
