import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { tempFolder } from "./folder.ts";
import { waitMsMax } from "./patience.ts";

const repository = join(import.meta.dirname, "../../../..");
const addressOf = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** Runs Node with only this environment. */
function runNode(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawnSync(process.execPath, args, { cwd: repository, env, encoding: "utf8", timeout: waitMsMax });
}

describe("tests that need something", () => {
  const folder = tempFolder();
  const file = join(folder.path, "fixture.test.ts");
  const reporter = `--test-reporter=${join(repository, "scripts/test-reporter.ts")}`;
  writeFileSync(
    file,
    `import { test as plain } from "node:test";
     import { testsNeeding } from ${addressOf("./needs.ts")};
     import { tempFolder } from ${addressOf("./folder.ts")};
     const fail = () => { throw new Error("it was run"); };
     const { after, before, describe, suite, test } = testsNeeding(undefined, "no loom found");
     before(fail);
     describe("a suite", () => {
       tempFolder();
       before(fail);
       after(fail);
       test("one", fail);
       test("two", { timeout: 1 }, fail);
     });
     suite("another", () => test("three", fail));
     testsNeeding("no spindle found", "no loom found").test("four", fail);
     testsNeeding(undefined).test("is here", () => console.log("five was run"));
     plain("plain", () => {});`,
  );
  const runFixture = (env: Readonly<Record<string, string>> = {}) => {
    const temporary = join(folder.path, "tmp");
    mkdirSync(temporary, { recursive: true });
    return { ...runNode(["--test", reporter, file], { TMPDIR: temporary, ...env }), temporary };
  };

  test("are skipped without it, no hook runs, and the last lines of the report say how many and why", () => {
    const { status, stdout, stderr, temporary } = runFixture();
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /five was run/);
    assert.doesNotMatch(stdout, /it was run/);
    assert.match(stdout, /skipped 3 tests: no loom found\nskipped 1 test: no spindle found\n$/);
    assert.deepEqual(readdirSync(temporary), [], "no folder stays");
  });

  test("fail without it where nothing may be missing", () => {
    const { status, stdout } = runFixture({ OPENSEAT_TEST_REQUIRE_ALL: "1" });
    assert.equal(status, 1, stdout);
    assert.match(stdout, /^ℹ pass 2$/m);
    assert.match(stdout, /^ℹ fail 4$/m);
    assert.match(stdout, /no loom found/);
    assert.doesNotMatch(stdout, /it was run|skipped \d+ tests?:/);
  });
});
