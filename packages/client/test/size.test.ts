import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "rolldown";

const gzippedBytesMax = 16 * 1024;

test("the whole client, bundled and minified, is at most 16 kB gzipped", async () => {
  const { output } = await build({
    input: fileURLToPath(new URL("../src/index.ts", import.meta.url)),
    platform: "browser",
    output: { minify: true },
    write: false,
  });
  assert.deepEqual([output.length, output[0].imports], [1, []]);
  const { length } = gzipSync(output[0].code);
  assert.ok(length <= gzippedBytesMax, `${length} bytes`);
  assert.ok(length > 8_000, `${length} bytes: is it the whole client?`);
});
