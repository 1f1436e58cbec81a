import assert from "node:assert/strict";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import { missingCurl, missingSqlite3 } from "../support/guide-shell.ts";
import { assertRefused, type Client, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { issuerFlags } from "../support/tokens.ts";
import { OperationsPage } from "./operations-page.ts";

const { test } = testsNeeding(missingCurl, missingSqlite3);

/** Runs a server on the folder and stops it, so that its whole log is in `openseat.db`. Returns its log lines. */
const running = (data: string, work: (client: Client, server: ChildServer) => Promise<void>) =>
  ChildServer.running(["--data", data, ...issuerFlags], async (client, server) => {
    await work(client, server);
    assert.deepEqual(await server.signal("SIGTERM"), { code: 0, signal: null });
    return server.stdout;
  });

/** Damages a room like a disk: its entries or hashes differ from what was written. */
function damage(data: string, game: string, assignment: string): void {
  const db = new DatabaseSync(join(data, "openseat.db"));
  try {
    const sql = `UPDATE batches SET ${assignment}
      WHERE first = 2 AND stream = (SELECT number FROM streams WHERE name = ?)`;
    assert.equal(db.prepare(sql).run(`game/${game}`).changes, 1);
  } finally {
    db.close();
  }
}

const seated = async (client: Client, game: string) =>
  (await client.participants(game)).map(({ userId }) => userId);

const damages = {
  "an entry": "lines = replace(lines, 'ann', 'amn')",
  "a hash": "hash = 'f' || substr(hash, 2, length(hash) - 2) || 'f'",
};

for (const [what, assignment] of Object.entries(damages))
  test(`[LG9] docs/operations/damaged-room.md: ${what} is restored from a backup, and nothing is lost`, async () => {
    const page = new OperationsPage("damaged-room");
    const folder = tempFolder();
    const at = { folder: folder.path };
    const data = join(folder.path, "data");
    let [game, other] = ["", ""];
    try {
      await running(data, async (client) => {
        game = await client.newGame();
        other = await client.newGame();
        for (const person of ["ann", "bob"]) assert.equal((await client.join(game, person)).status, 200);
      });
      mkdirSync(join(folder.path, "backup"));
      copyFileSync(join(data, "openseat.db"), join(folder.path, "backup", "openseat.db"));
      await running(data, async (client) => {
        for (const id of [game, other]) assert.equal((await client.join(id, "cat")).status, 200);
      });
      damage(data, game, assignment);

      const said = await running(data, async (client, server) => {
        await until("the damage is found", async () => (await client.get("/readyz")).body.damaged);
        const seen = await page.run("readyz", { ...at, here: { "http://localhost:8080": server.url } });
        assert.ok(seen.includes(`"names":["game/${game}"]`), seen);
        assert.match(seen, /^openseat_damaged_rooms 1$/m);
        assertRefused(await client.join(game, "dan"), 500, "log.damaged");
        assert.equal((await client.join(other, "dan")).status, 200);
      });
      await page.run("data.damaged", at);
      assert.match(await page.run("sqlite3", at), /^entries put back: 1$/m);

      const healed = await running(data, async (client, server) => {
        await until("the check has ended", () => server.stdout.includes("the log has been checked"));
        assert.deepEqual((await client.get("/readyz")).body, { status: "ready" });
        assert.deepEqual(await seated(client, game), ["ann", "bob", "cat"]);
        assert.deepEqual(await seated(client, other), ["cat", "dan"]);
        assert.equal((await client.join(game, "dan")).status, 200);
      });
      page.assertDone(said + healed);
    } finally {
      folder.remove();
    }
  });
