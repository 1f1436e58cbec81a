import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "rolldown";

test("the whole client, bundled and minified, is as small as the README says", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const promised = Number(/takes (\d+) kB in a page \(gzipped\)/.exec(readme)?.[1]);
  const { output } = await build({
    input: fileURLToPath(new URL("../src/index.ts", import.meta.url)),
    platform: "browser",
    output: { minify: true },
    write: false,
  });
  assert.deepEqual([output.length, output[0].imports], [1, []]);
  const { length } = gzipSync(output[0].code);
  assert.equal(Math.round(length / 1_000), promised, `${length} bytes`);
});
