import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { globSync, lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskFolder } from "../../../packages/server/test/support/folder.ts";
import { until, within } from "../../../packages/server/test/support/http.ts";
import { testsNeeding } from "../../../packages/server/test/support/needs.ts";
import { InstalledServer, installOpenseat } from "./support/installed-server.ts";
import { type NpmProject, plainEnvironment } from "./support/npm-project.ts";
import { installOtherNodes, missingOtherNodes, nodeFolder, older, tooOld } from "./support/other-nodes.ts";
import { missingFromRegistry } from "./support/registry.ts";

const { before, describe, test } = testsNeeding(missingOtherNodes, await missingFromRegistry("fastify@5"));

describe("openseat in an empty folder", () => {
  let project: NpmProject;
  before(async () => {
    [project] = await Promise.all([installOpenseat(), installOtherNodes()]);
  });

  for (const [what, folder] of [
    [`Node ${tooOld}, which starts the Node that it carries`, nodeFolder(tooOld)],
    [`Node ${older}`, nodeFolder(older)],
    ["the Node of this repository", dirname(process.execPath)],
  ] as const)
    test(`npx openseat serves its pages on ${what}`, async (t) => {
      const startedAt = Date.now();
      const server = await InstalledServer.start({ nodeFolder: folder });
      t.diagnostic(`${what}: ready after ${Date.now() - startedAt} ms`);
      try {
        const home = await fetch(server.url);
        const text = await home.text();
        assert.deepEqual([home.status, home.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
        const [script] = /\/assets\/[\w-]+\.js/.exec(text)!;
        const reference = /\/docs\/reference\.js\?[\w.-]+/.exec(
          await (await fetch(`${server.url}/docs`)).text(),
        )![0];
        for (const path of [script, reference]) {
          const loaded = await fetch(server.url + path);
          assert.deepEqual([loaded.status, (await loaded.text()).length > 1_000], [200, true], path);
          // The same without compression.
          const plain = await fetch(server.url + path, { headers: { "accept-encoding": "identity" } });
          assert.equal(plain.headers.get("content-encoding"), null);
          assert.ok((await plain.arrayBuffer()).byteLength > 1_000);
        }
        const api = await fetch(`${server.url}/openapi.json`);
        assert.equal(((await api.json()) as { openapi: string }).openapi.slice(0, 2), "3.");
      } finally {
        await server.stop();
      }
    });

  test("imports in worker threads, and lists ladders from its SQL files", async () => {
    const server = await InstalledServer.start({ nodeFolder: nodeFolder(older) });
    try {
      const operate = (path: string, body: object) =>
        fetch(server.url + path, {
          method: "POST",
          headers: {
            authorization: `Bearer ${InstalledServer.operatorKey}`,
            "content-type": "application/json",
          },
          body: JSON.stringify(body),
        });
      const created = await operate("/api/v1/ladders", { title: "Chess", id: "chess" });
      assert.equal(created.status, 201, await created.text());
      const matches = [{ players: ["ann", "bob"], scores: [1, 0], playedAt: "2024-01-01T00:00:00Z" }];
      const imported = await operate("/api/v1/ladders/chess/imports", { matches });
      assert.ok(imported.ok, await imported.text());
    } finally {
      await server.stop();
    }
  });

  test("ends with the server's status, and says what is missing where no Node is new enough", async () => {
    const launcher = join(project.folder, "node_modules/openseat/bin/openseat.js");
    const node = join(nodeFolder(tooOld), "node");
    const refused = await project.run(node, [launcher, "no-such-command"]);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /no-such-command/);
    const alone = await project.run(node, [launcher], {
      env: { ...plainEnvironment(), _OPENSEAT_LAUNCHED_BY: "1" },
    });
    assert.equal(alone.code, 1);
    assert.match(alone.stderr, /^Openseat needs Node .* this is Node 20\.20\.2\. Install a newer Node/);
  });

  for (const [signal, what] of [
    ["SIGTERM", "passes a signal on"],
    ["SIGKILL", "does not leave a server behind when it is killed"],
  ] as const)
    test(`on Node ${tooOld}, the launcher ${what}`, async () => {
      const launcher = join(project.folder, "node_modules/openseat/bin/openseat.js");
      const node = join(nodeFolder(tooOld), "node");
      const args = [launcher, "--port", "0", "--data", diskFolder().path];
      const child = spawn(node, args, { env: plainEnvironment(), stdio: ["ignore", "pipe", "pipe"] });
      const ended = new Promise((resolve) => child.on("exit", (...how) => resolve(how)));
      // The server writes to the same pipe, which ends with it.
      const closed = new Promise((resolve) => child.on("close", resolve));
      let [stdout, stderr] = ["", ""];
      child.stdout.on("data", (text) => {
        stdout += text;
      });
      child.stderr.on("data", (text) => {
        stderr += text;
      });
      await until("the start", () => stderr.includes("Openseat is at"));
      child.kill(signal);
      assert.deepEqual(
        await within("the end of the launcher", ended),
        signal === "SIGTERM" ? [0, null] : [null, signal],
      );
      await within("the end of the server", closed);
      assert.match(stdout, /"msg":"stopped"/);
    });

  test("its main export starts nothing by itself", async () => {
    const script = 'import { createOpenseat } from "openseat"; console.log(typeof createOpenseat);';
    const stdout = await project.succeeds(process.execPath, ["--input-type=module", "-e", script]);
    assert.equal(stdout, "function\n");
  });

  test("installs under 40 MB and 80 packages, without the Node that it carries", (t) => {
    const folder = join(project.folder, "node_modules");
    const packages = globSync("**/node_modules/{*,@*/*}/package.json", { cwd: project.folder })
      .map((path) => join(project.folder, dirname(path)))
      .filter((path) => !isCarriedNode(path) && !/\/node_modules\/@[^/]+$/.test(path));
    const bytes = bytesIn(folder);
    t.diagnostic(`${packages.length} packages, ${(bytes / 1e6).toFixed(1)} MB on the disk`);
    assert.ok(packages.length < 80, `${packages.length} packages`);
    assert.ok(bytes < 40e6, `${bytes} bytes`);
  });
});

function isCarriedNode(path: string): boolean {
  return /\/node_modules\/node-(?:bin-)?(?:darwin|linux|win)-\w+$/.test(path);
}

/** What the files of a folder take on the disk. */
function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => {
    const path = join(folder, name);
    const stats = lstatSync(path);
    if (!stats.isDirectory()) return sum + stats.blocks * 512;
    return isCarriedNode(path) ? sum : sum + bytesIn(path);
  }, 0);
}
