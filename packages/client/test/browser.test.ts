import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../src/", import.meta.url));
const files = globSync("**/*.ts", { cwd: folder });

/** The imports of a file, except types. */
function importsOf(source: string): string[] {
  const all = [...source.matchAll(/^(?:import|export)\b(?! type )[^;]*?from "([^"]+)";/gms)];
  return all.map(([, from]) => from);
}

test("a browser loads only the client: no Node modules and no schemas", () => {
  const friendlyNames = new URL("../../protocol/src/friendly-names.ts", import.meta.url);
  assert.deepEqual(importsOf(readFileSync(friendlyNames, "utf8")), []);
  const outside = files.flatMap((file) =>
    importsOf(readFileSync(`${folder}${file}`, "utf8")).filter((from) => !from.startsWith(".")),
  );
  assert.ok(files.length > 10);
  assert.deepEqual([...new Set(outside)], ["@openseat/protocol/friendly-names"]);
});
