import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import { missingSqlite3 } from "../support/guide-shell.ts";
import { type Answer, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { issuerFlags } from "../support/tokens.ts";
import { OperationsPage } from "./operations-page.ts";

const { test } = testsNeeding(missingSqlite3);

test("[LG8] docs/operations/back-up.md: a backup made while people join has everything acknowledged before it", async () => {
  const page = new OperationsPage("back-up");
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
    await page.run("VACUUM", { folder: root.path });
    const during = answers.size;
    await until("more have joined", async () => answers.size > during + 100);
    isOver = true;
    await Promise.all(crowd);
    // Changes of the last half second may be missing there, and that is not noticed.
    const head = join(root.path, "data", "head.json");
    await until("the head file follows", async () => JSON.parse(readFileSync(head, "utf8")).batch > 0);
    client.close();
    await server.kill();
    assert.ok(existsSync(join(root.path, "data", "openseat.db-wal")));
    for (const name of ["openseat.db", "secrets.json", "head.json"])
      assert.equal(statSync(join(root.path, "backup", name)).mode & 0o077, 0);

    rmSync(join(root.path, "data", "openseat.db-wal"));
    assert.equal((await ChildServer.run(["--port", "0", ...flags])).code, 1);
    await page.run("cp -R", { folder: root.path });
    page.assertDone("");
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
