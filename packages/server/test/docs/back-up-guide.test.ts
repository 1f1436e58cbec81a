import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import { type Answer, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { waitMsMax } from "../support/patience.ts";
import { findProgram } from "../support/programs.ts";
import { issuerFlags } from "../support/tokens.ts";
import { readRepoFile } from "./reference.ts";

const variable = "OPENSEAT_TEST_SQLITE3";
const sqlite3 = findProgram({ variable, names: ["sqlite3"] });
const missing = sqlite3 === undefined ? `no sqlite3 found; install it or set ${variable}` : undefined;
const { test } = testsNeeding(missing);

const [backUp, restore] = [...readRepoFile("docs/guides/back-up.md").matchAll(/^```sh\n(.*?)^```/gms)].map(
  ([, block]) => `sqlite3() { "${sqlite3}" "$@"; }\n${block}`,
);

function run(commands: string, cwd: string): void {
  execFileSync("sh", ["-eu", "-c", commands], { cwd, timeout: waitMsMax, stdio: "pipe" });
}

test("[LG8] docs/guides/back-up.md: a backup made while people join has everything acknowledged before it", async () => {
  const root = tempFolder();
  const flags = ["--data", join(root.path, "data"), ...issuerFlags];
  let server = await ChildServer.start(flags);
  let client = server.client();
  try {
    const game = await client.newGame({ maxPlayers: 1_000_000 });
    const answers = new Map<string, Answer>();
    let isOver = false;
    const crowd = Array.from({ length: 8 }, async (_, lane) => {
      for (let index = 0; !isOver; index++) {
        const person = `p${lane}-${index}`;
        answers.set(person, await client.join(game, person, `key of ${person}`));
      }
    });
    await until("some have joined", async () => answers.size > 200);
    const before = [...answers];
    run(backUp, root.path);
    const during = answers.size;
    await until("more have joined", async () => answers.size > during + 100);
    isOver = true;
    await Promise.all(crowd);
    // What the latest half second has brought may be missing there, and then it is not missed.
    const head = join(root.path, "data", "head.json");
    await until("the head file follows", async () => JSON.parse(readFileSync(head, "utf8")).batch > 0);
    client.close();
    await server.kill();
    assert.ok(existsSync(join(root.path, "data", "openseat.db-wal")));
    for (const name of ["openseat.db", "secrets.json", "head.json"])
      assert.equal(statSync(join(root.path, "backup", name)).mode & 0o077, 0);

    rmSync(join(root.path, "data", "openseat.db-wal"));
    assert.equal((await ChildServer.run(["--port", "0", ...flags])).code, 1);
    run(restore, root.path);
    server = await ChildServer.start(flags);
    client = server.client();
    assert.equal((await client.get("/readyz")).status, 200);
    for (const [person, { status, text }] of before) {
      const again = await client.join(game, person, `key of ${person}`);
      assert.deepEqual([again.status, again.text], [status, text]);
    }
  } finally {
    client.close();
    await server.kill();
    root.remove();
  }
});
