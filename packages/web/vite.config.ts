import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** The pages on which people play: one document for all addresses, one script, one style. */
export default defineConfig({
  root: fileURLToPath(new URL("./src/app/", import.meta.url)),
  // The server puts the path that it is at in front: see build/pages.ts.
  base: "./",
  publicDir: false,
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    assetsDir: "assets",
    // Nothing may be inlined as a data address: the policy of the pages allows that for images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
