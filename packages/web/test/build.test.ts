import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { buildPages } from "../src/build/build-pages.ts";
import { pagesFolder } from "../src/built/pages-folder.ts";
import { type Pages, readPages } from "../src/index.ts";

/** Gzipped sizes of what every page loads, and of what some pages load in addition. */
const bytesAllowed = {
  // Of it 16 kB are the client, with its queues, although no page enters one.
  all: 43_500,
  games: 4_000,
  replays: 4_000,
  ladders: 12_000,
  chart: 25_000,
  talk: 12_000,
};

describe("the build of the pages", () => {
  const builds = mkdtempSync(join(tmpdir(), "openseat-pages-"));
  let folder: string;
  let pages: Pages;
  before(async () => {
    mkdirSync(join(builds, "of-older-sources"));
    const [one, other] = await Promise.all([buildPages({ builds }), buildPages({ builds })]);
    assert.equal(one, other, "two concurrent builds give the same result");
    folder = one;
    pages = readPages({ folder })!;
  });
  after(() => rmSync(builds, { recursive: true, force: true }));

  test("leaves one folder, named by its fingerprint, and nothing unfinished", () => {
    assert.deepEqual(readdirSync(builds).sort(), [basename(folder), "latest"].sort());
    assert.match(basename(folder), /^[0-9a-f]{20}$/);
    assert.equal(pagesFolder(builds), folder);
  });

  test("is not repeated while nothing has changed", async () => {
    const isBuilding = () => assert.fail("it was built again");
    assert.equal(await buildPages({ builds, onBuild: isBuilding }), folder);
  });

  test("is undefined where nothing has been built", () => {
    const empty = join(builds, "..", `${basename(builds)}-none`);
    assert.equal(pagesFolder(empty), undefined);
  });

  /** The files that the document loads. */
  const asked = () => {
    const html = pages.document.body.toString();
    const addresses = [...html.matchAll(/(?:src|href)="(?!data:)([^"]*)"/g)].map(([, address]) => address);
    return addresses.filter((address) => address !== "/docs");
  };
  const bytesOf = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + pages.assets.get(name)!.gzip.length, 0);
  const named = (start: string) => [...pages.assets.keys()].filter((name) => name.startsWith(`${start}-`));

  test("every page is small, and loads only what it needs", () => {
    const all = asked().map((address) => address.replace("/assets/", ""));
    // Ladders and duels share the live data hook.
    const looking = named("use-live-data");
    const some = {
      games: named("game-page"),
      replays: named("replay-page"),
      ladders: [...named("ladder-pages"), ...looking],
      chart: named("draw-rating"),
      talk: [...named("talk-pages"), ...looking],
    };
    const known = new Set([...all, ...Object.values(some).flat()]);
    assert.deepEqual([...known].sort(), [...pages.assets.keys()].sort());
    assert.ok(pages.document.gzip.length + bytesOf(all) < bytesAllowed.all);
    for (const part of ["games", "replays", "ladders", "chart", "talk"] as const) {
      const bytes = bytesOf(some[part]);
      assert.ok(bytes > 0 && bytes < bytesAllowed[part], `${part}: ${bytes} bytes`);
    }
  });

  test("loads only its own script and style, by names that contain their hashes", () => {
    assert.equal(asked().length, 2);
    for (const name of pages.assets.keys()) assert.match(name, /^[\w-]+-[\w-]{8}\.(?:js|css)$/);
    assert.doesNotMatch(pages.document.body.toString(), /<script(?![^>]*src=)|\son\w+="|style="/);
  });

  test("contains nothing that the security policy forbids, and nothing from other hosts", () => {
    for (const [name, { body, gzip }] of pages.assets) {
      assert.equal(gunzipSync(gzip).compare(body), 0);
      const text = body.toString();
      assert.doesNotMatch(
        text,
        /@import|@font-face|\beval\(|new Function\(|innerHTML="|document\.write/,
        name,
      );
      const elsewhere = [...text.matchAll(/https?:\/\/[\w.-]+/g)].map(([address]) => address);
      // Allow XML namespaces, which are not fetched, and the example address in an error message.
      const harmless = /^http:\/\/(?:www\.w3\.org|localhost)$/;
      assert.deepEqual(
        elsewhere.filter((address) => !harmless.test(address)),
        [],
        name,
      );
    }
  });

  test("prints nothing and ends at once when npm start finds it up to date", async () => {
    await buildPages();
    const path = fileURLToPath(new URL("../src/build/main.ts", import.meta.url));
    const child = spawnSync(process.execPath, [path], { encoding: "utf8", timeout: 120_000 });
    assert.deepEqual([child.status, child.stdout, child.stderr], [0, "", ""]);
  });
});
