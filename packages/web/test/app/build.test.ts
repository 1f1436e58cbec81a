import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { buildPages, type Pages, pagesFolder, readPages } from "../../src/index.ts";

const bytesAllowed = 40_000;

describe("the build of the pages", () => {
  const builds = mkdtempSync(join(tmpdir(), "openseat-pages-"));
  let folder: string;
  let pages: Pages;
  before(async () => {
    mkdirSync(join(builds, "of-older-sources"));
    const [one, other] = await Promise.all([buildPages({ builds }), buildPages({ builds })]);
    assert.equal(one, other, "two at once give the same");
    folder = one;
    pages = readPages(folder)!;
  });
  after(() => rmSync(builds, { recursive: true, force: true }));

  test("leaves one folder, named by what it was made of, and nothing unfinished", () => {
    assert.deepEqual(readdirSync(builds), [basename(folder)]);
    assert.match(basename(folder), /^[0-9a-f]{20}$/);
    assert.equal(pagesFolder(builds), folder);
  });

  test("is not done again while nothing has changed", async () => {
    const isBuilding = () => assert.fail("it was built again");
    assert.equal(await buildPages({ builds, onBuild: isBuilding }), folder);
  });

  test("is missing where nothing has been built", () => {
    const empty = join(builds, "..", `${basename(builds)}-none`);
    assert.equal(pagesFolder(empty), undefined);
  });

  test(`is under ${bytesAllowed} bytes gzipped in all`, () => {
    const bytes = [pages.document, ...pages.assets.values()].reduce((sum, { gzip }) => sum + gzip.length, 0);
    assert.ok(bytes < bytesAllowed, `${bytes} bytes`);
  });

  test("asks for its own script and style only, by names that change with what they hold", () => {
    const html = pages.document.body.toString();
    const asked = [...html.matchAll(/(?:src|href)="(?!data:)([^"]*)"/g)].map(([, address]) => address);
    assert.deepEqual(asked.filter((address) => address !== "/docs").sort(), [
      ...[...pages.assets.keys()].map((name) => `/assets/${name}`).sort(),
    ]);
    for (const name of pages.assets.keys()) assert.match(name, /^[\w-]+-[\w-]{8}\.(?:js|css)$/);
    assert.doesNotMatch(html, /<script(?![^>]*src=)|\son\w+="|style="/);
  });

  test("holds nothing that the policy of the pages forbids, and nothing from elsewhere", () => {
    for (const [name, { body, gzip }] of pages.assets) {
      assert.equal(gunzipSync(gzip).compare(body), 0);
      const text = body.toString();
      assert.doesNotMatch(
        text,
        /@import|@font-face|\beval\(|new Function\(|innerHTML="|document\.write/,
        name,
      );
      const elsewhere = [...text.matchAll(/https?:\/\/[\w.-]+/g)].map(([address]) => address);
      // Names of XML, which nobody fetches, and the address in a sentence for people who forgot theirs.
      const harmless = /^http:\/\/(?:www\.w3\.org|localhost)$/;
      assert.deepEqual(
        elsewhere.filter((address) => !harmless.test(address)),
        [],
        name,
      );
    }
  });

  test("as npm start runs it, it says nothing when there is nothing to do, and ends at once", async () => {
    await buildPages();
    const path = fileURLToPath(new URL("../../src/build/main.ts", import.meta.url));
    const child = spawnSync(process.execPath, [path], { encoding: "utf8", timeout: 30_000 });
    assert.deepEqual([child.status, child.stdout, child.stderr], [0, "", ""]);
  });
});
