import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { tempFolder } from "./folder.ts";
import { waitMsMax } from "./patience.ts";
import { findProgram } from "./programs.ts";

const repository = join(import.meta.dirname, "../../../..");
const addressOf = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** Runs Node with nothing of this environment but what is given. */
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

describe("a program of this machine", {
  skip: process.platform === "win32" && "the programs are shell scripts",
}, () => {
  const variable = "OPENSEAT_TEST_LOOM";
  const { PATH } = process.env;
  let folder: ReturnType<typeof tempFolder>;
  beforeEach(() => {
    folder = tempFolder();
  });
  afterEach(() => {
    Object.assign(process.env, { PATH });
    delete process.env[variable];
    folder.remove();
  });

  /** One that ends with this status when it is asked for its version, and with another one otherwise. */
  function program(path: string, { status = 0, mode = 0o755, flag = "--version" } = {}): string {
    const place = join(folder.path, path);
    mkdirSync(join(place, ".."), { recursive: true });
    writeFileSync(place, `#!/bin/sh\n[ "$*" = "${flag}" ] || exit 9\nexit ${status}\n`);
    chmodSync(place, mode);
    return place;
  }
  const lookIn = (...folders: string[]) => {
    process.env.PATH = folders.map((name) => join(folder.path, name)).join(":");
  };

  test("is the one that the variable names; then by name and by PATH; then at its usual places", () => {
    const usual = program("usual/loom");
    const wanted = { variable, names: ["loom", "old-loom"], paths: [usual] };
    lookIn("a", "b");
    assert.equal(findProgram(wanted), usual);
    const [old, second] = [program("a/old-loom"), program("b/loom")];
    assert.equal(findProgram(wanted), second);
    const first = program("a/loom");
    assert.equal(findProgram(wanted), first);
    process.env[variable] = old;
    assert.equal(findProgram(wanted), old);
    delete process.env[variable];
    assert.equal(findProgram({ variable, names: ["spindle"] }), undefined);
  });

  test("that does not run is passed over; one that the variable names is a mistake", () => {
    lookIn("a", "b", "c");
    const broken = program("a/loom", { status: 127 });
    program("b/loom", { mode: 0o644 });
    assert.equal(findProgram({ variable, names: ["loom"] }), undefined);
    const good = program("c/loom");
    assert.equal(findProgram({ variable, names: ["loom"] }), good);
    assert.equal(findProgram({ variable, names: ["loom"], versionFlag: "-v" }), undefined);
    process.env[variable] = broken;
    assert.throws(() => findProgram({ variable, names: ["loom"] }), /OPENSEAT_TEST_LOOM is set to .*a\/loom/);
  });

  test("for pages is the browser that is set, else Chrome, Chromium or Edge, in this order", () => {
    const found = (env: Readonly<Record<string, string>>) => {
      const script = `const { findBrowser, missingBrowser } = await import(${addressOf("../../../../e2e/support/find-browser.ts")});
        console.log(missingBrowser ?? (await findBrowser()).executablePath);`;
      const { status, stdout, stderr } = runNode(["--input-type=module", "-e", script], env);
      assert.equal(status, 0, stderr);
      return stdout.trim();
    };
    const env = { PATH: [join(folder.path, "a"), join(folder.path, "b")].join(":") };
    for (const name of ["b/microsoft-edge", "b/chromium", "a/chromium", "b/google-chrome"]) {
      const browser = program(name);
      assert.equal(found(env), browser);
    }
    const own = program("own");
    assert.equal(found({ ...env, OPENSEAT_TEST_BROWSER: own }), own);
  });
});
