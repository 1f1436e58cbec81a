import { buildPages } from "./build-pages.ts";

/** `npm start` runs this first. */
const startedAt = Date.now();
let isBuilt = false;
await buildPages({
  onBuild() {
    isBuilt = true;
    process.stderr.write("  Building the pages… ");
  },
});
if (isBuilt) process.stderr.write(`done in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s.\n`);
