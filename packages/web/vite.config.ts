import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** The main pages: one document for all addresses, one script, one style sheet. */
export default defineConfig({
  root: fileURLToPath(new URL("./src/app/", import.meta.url)),
  // The server prefixes its base path: see build/pages.ts.
  base: "./",
  publicDir: false,
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    assetsDir: "assets",
    // Inline nothing as a data URL: the pages' content security policy allows that for images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
