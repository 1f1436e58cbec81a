import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { Script } from "node:vm";
import { gunzipSync, gzipSync } from "node:zlib";
import { errorPage, movePage, waitAssets, waitPage, waitSecurityPolicy } from "../../src/index.ts";
import { waitingState, waitModel } from "./stage.ts";

const { scriptPath, stylePath, files } = waitAssets();
const [script, style] = [scriptPath, stylePath].map((path) => {
  const { type, body, gzip } = files.get(nameOf(path))!;
  return { type, body: body.toString(), gzip };
});

/** The top-level names of a module. */
const declaration = /^(?:export )?(?:async )?(?:function|class|const|let) (\w+)/gm;

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

describe("what a crowd downloads", () => {
  const bytesAllowed = 20_000;

  for (const language of ["en", "de"] as const)
    test(`page, style and script are under 20 kB gzipped in all (${language})`, () => {
      const page = waitPage({ ...waitModel, language, title: "A sale with quite a long name, 2026" });
      const bytes = gzipSync(page).length + script.gzip.length + style.gzip.length;
      assert.ok(bytes < bytesAllowed, `${bytes} bytes`);
    });

  test("the page loads only its own style and script", () => {
    const place = { state: waitingState, code: "K7Q2-M9XD-4F", codeExpiresAt: "2030-01-01T20:00:00Z" };
    const pages = [
      waitPage(waitModel),
      movePage({ ...waitModel, place }),
      errorPage({ ...waitModel, kind: "busy", status: 503 }),
    ];
    for (const page of pages) {
      const asked = [...page.matchAll(/<(?:script|link|img|iframe|source)[^>]* (?:src|href)="([^"]*)"/g)];
      const addresses = asked.map(([, address]) => address).filter((address) => !address.startsWith("data:"));
      assert.deepEqual(addresses, [stylePath, scriptPath]);
    }
    assert.doesNotMatch(style.body, /url\(|@import|@font-face/);
    assert.doesNotMatch(script.body, /https?:/);
  });

  test("a file's name contains its hash", () => {
    assert.match(scriptPath, /^\/wait\/assets\/wait-[\w-]{12}\.js$/);
    assert.match(stylePath, /^\/wait\/assets\/wait-[\w-]{12}\.css$/);
    assert.deepEqual([...files.keys()].sort(), [nameOf(scriptPath), nameOf(stylePath)].sort());
    for (const { body, gzip } of files.values()) assert.deepEqual(gunzipSync(gzip), body);
  });
});

describe("the script", () => {
  test("is plain JavaScript that parses", () => {
    new Script(script.body);
    assert.doesNotMatch(script.body, /^(import|export|interface|type) /m);
    assert.equal(script.type, "text/javascript; charset=utf-8");
  });

  test("declares every name once, because its modules share one scope", () => {
    const folder = new URL("../../src/wait/browser/", import.meta.url);
    const names = readdirSync(folder, { encoding: "utf8", recursive: true })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => [...readFileSync(new URL(file, folder), "utf8").matchAll(declaration)])
      .map(([, name]) => name);
    assert.ok(names.includes("start"));
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
  });

  test("never reloads the page", () => {
    assert.doesNotMatch(script.body, /\breload\b/);
  });

  test("runs nothing that the policy forbids", () => {
    assert.doesNotMatch(
      script.body,
      /innerHTML|outerHTML|insertAdjacentHTML|\beval\b|new Function|document\.write/,
    );
    assert.doesNotMatch(script.body, /setAttribute\("(?:style|on\w+)"/);
    assert.match(waitSecurityPolicy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(waitSecurityPolicy, /unsafe|\*/);
  });

  test("is built without output on the terminal", () => {
    const address = new URL("../../src/index.ts", import.meta.url).href;
    const child = spawnSync(
      process.execPath,
      ["--input-type=module", "-e", `(await import("${address}")).waitAssets()`],
      {
        encoding: "utf8",
        timeout: 120_000,
      },
    );
    assert.deepEqual([child.status, child.stdout, child.stderr], [0, "", ""]);
  });
});
