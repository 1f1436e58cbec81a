import { buildPackage } from "./build-package.ts";
import { packagesToBuild } from "./packages.ts";

/** `npm run packages [names]`: builds the packages to publish into `build/packages`. */
for (const description of packagesToBuild(process.argv.slice(2))) {
  const startedAt = Date.now();
  const folder = await buildPackage(description);
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(`${description.name}: ${folder} (${seconds} s)\n`);
}
