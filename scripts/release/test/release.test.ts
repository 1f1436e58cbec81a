import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { testsNeeding } from "../../../packages/server/test/support/needs.ts";
import { unreleasedIn } from "../src/changelog.ts";
import { dataOf } from "../src/repository.ts";
import { Clone, missingRepository } from "./clone.ts";

const { after, before, beforeEach, describe, test } = testsNeeding(missingRepository);
const next = "98.7.6";

describe("npm run release", () => {
  let clone: Clone;
  before(() => {
    clone = new Clone();
  });
  beforeEach(() => {
    clone.reset();
    clone.write(
      "CHANGELOG.md",
      "# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## [0.0.1] - 2026-01-01\n\nOld.\n",
    );
    // A release is committed before its own data is recorded.
    clone.write(join(dataOf(clone.last), "database.sql"), "-- data");
    clone.git("add", ".");
    clone.commit();
  });
  after(() => clone?.remove());

  async function refused(args: readonly string[], pattern: RegExp): Promise<void> {
    const before = clone.status;
    const { code, text } = await clone.release(args, () => assert.fail("it was built"));
    assert.equal(code, 1, text);
    assert.match(text, pattern);
    assert.equal(clone.status, before);
  }

  test("sets one version everywhere, and moves the section of the changelog", async () => {
    const thirdParty = (path: string) => clone.json(path).packages["node_modules/fastify"];
    const fastify = thirdParty("package-lock.json");
    let versionAtBuild: string | undefined;
    const { code, text } = await clone.release([next], async () => {
      versionAtBuild = clone.json("packages/server/package.json").version;
    });
    assert.deepEqual([code, versionAtBuild], [0, next], text);
    for (const path of ["package.json", "packages/client/package.json", "examples/gate/next/package.json"])
      assert.equal(clone.json(path).version, next, path);
    assert.equal(clone.json("packages/server/package.json").dependencies["@openseat/kernel"], next);
    assert.equal(clone.json("examples/gate/package.json").dependencies["@openseat/gate"], `^${next}`);
    const lock = clone.json("package-lock.json");
    assert.deepEqual([lock.version, lock.packages[""].version], [next, next]);
    assert.equal(lock.packages["packages/server"].dependencies["@openseat/kernel"], next);
    assert.deepEqual(thirdParty("package-lock.json"), fastify);
    assert.equal(
      clone.read("CHANGELOG.md"),
      `# Changelog\n\n## Unreleased\n\n## [${next}] - 2027-01-31\n\n### Added\n\n- A thing.\n\n## [0.0.1] - 2026-01-01\n\nOld.\n`,
    );
    // Nothing else: every other changed line names the old version, and its replacement the new one.
    const diff = clone.git("diff", "--unified=0", "--", ".", ":!CHANGELOG.md").split("\n");
    for (const line of diff.filter((each) => /^[-+](?![-+]{2} )/.test(each)))
      assert.ok(/^.*"\^?([\d.]+)",?$/.exec(line)?.[1] === (line[0] === "-" ? clone.last : next), line);
  });

  test("names the commands that publish it, in order, and runs none", async () => {
    const head = clone.git("rev-parse", "HEAD");
    const { text } = await clone.release([next]);
    const commands = [...text.matchAll(/^ {2}(\S.*)$/gm)].map(([, command]) => command);
    assert.deepEqual(commands.slice(0, 5), [
      `git commit --all --message "Release ${next}"`,
      `git tag --annotate v${next} --message "Release ${next}"`,
      `git push --atomic origin main v${next}`,
      `npm publish ./build/tarballs/openseat-client-${next}.tgz --access public`,
      `npm publish ./build/tarballs/openseat-${next}.tgz --access public`,
    ]);
    assert.match(text, /record\/main\.ts/);
    assert.deepEqual([clone.git("rev-parse", "HEAD"), clone.tags], [head, []]);
  });

  test("refuses to release a version twice, and the next one before data of this one is recorded", async () => {
    await clone.release([next]);
    clone.commit();
    for (const reason of [/is not newer/, /nothing under Unreleased/, /There is no data of 98\.7\.6/])
      await refused([next], reason);
  });

  test("--dry-run checks and changes nothing", async () => {
    const { code, text } = await clone.release([next, "--dry-run"], () => assert.fail("it was built"));
    assert.equal(code, 0, text);
    assert.match(text, /^ {2}packages\/react\/package\.json$/m);
    assert.match(text, /nothing has changed/);
    assert.equal(clone.status, "");
    await refused(["0.0.1", "--dry-run"], /is not newer/);
  });

  test("leaves the files as they were if the build fails, and succeeds when run again", async () => {
    const failed = await clone.release([next], () => Promise.reject(new Error("no memory")));
    assert.equal(failed.code, 1);
    assert.match(failed.text, /no memory\nThe files are as before/);
    assert.equal(clone.status, "");
    assert.equal((await clone.release([next])).code, 0);
  });

  test("leaves the files as they were if it is interrupted", async () => {
    const before = clone.read("package.json");
    const script = `
      import { changing } from ${JSON.stringify(import.meta.resolve("../src/changes.ts"))};
      const waiting = () => new Promise((resolve) => {
        console.log("written");
        setInterval(() => {}, 1_000);
      });
      await changing(${JSON.stringify(clone.root)}, new Map([["package.json", "{}"]]), waiting);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    assert.equal(clone.read("package.json"), "{}");
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "exit"), [1, null]);
    assert.equal(clone.read("package.json"), before);
  });

  test("refuses versions that are invalid or not newer", async () => {
    for (const version of ["1", "1.2", "v1.2.3", "1.2.3-rc.1", "1.02.3", "1.2.x", "latest", "1.2.3.4"])
      await refused([version], /is not a version\. Use three numbers/);
    for (const version of [clone.last, "0.0.99"]) await refused([version], /is not newer than/);
    clone.git("tag", `v${next}`);
    await refused([next], /The tag v98\.7\.6 exists/);
    await refused([], /Name one version/);
    await refused([next, "--publish"], /--publish/);
  });

  test("refuses another branch, unless it is named, and a work tree with changes", async () => {
    clone.git("switch", "--quiet", "--create", "fixes");
    await refused([next], /The branch is fixes\. Switch to it with `git switch main`/);
    assert.match((await clone.release([next, "--dry-run", "--branch", "fixes"])).text, /origin fixes v98/);
    clone.write("new.txt", "");
    await refused([next, "--branch", "fixes"], /1 file is not committed \(new\.txt\)/);
  });

  test("refuses an empty changelog, packages of different versions, and data that nobody recorded", async () => {
    clone.write("CHANGELOG.md", `# Changelog\n\n## Unreleased\n\n## [${next}] - 2026-01-01\n\nOld.\n`);
    const manifest = clone.json("packages/gate/package.json");
    clone.write("packages/gate/package.json", JSON.stringify({ ...manifest, version: "0.0.3" }));
    rmSync(join(clone.root, dataOf(clone.last)), { recursive: true, force: true });
    clone.commit();
    const { text } = await clone.release([next]);
    assert.match(text, /nothing under Unreleased/);
    assert.match(text, /has a section 98\.7\.6/);
    assert.match(text, /packages\/gate\/package\.json has version 0\.0\.3/);
    assert.match(text, /There is no data of .* to open/);
    clone.write("CHANGELOG.md", "# Changelog\n");
    clone.commit();
    await refused([next], /no line `## Unreleased`/);
  });

  test("the changelog of this repository has a section for what is not released", () => {
    clone.git("checkout", "--quiet", "start", "--", "CHANGELOG.md");
    assert.notEqual(unreleasedIn(clone.read("CHANGELOG.md")), undefined);
  });
});
