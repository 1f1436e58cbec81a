import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import { type Client, eachOf, range, until } from "../support/http.ts";
import { issuerFlags } from "../support/tokens.ts";

const joins = 300;

/** Runs the server on a folder and always stops it. */
const running = (
  folder: string,
  work: (client: Client, server: ChildServer) => Promise<void>,
  more: readonly string[] = [],
) => ChildServer.running(["--data", folder, ...issuerFlags, ...more], work);

/** People join, a few at a time; then the head file is up to date, and the server is killed. */
async function playAndKill(folder: string): Promise<string> {
  let game = "";
  await running(folder, async (client) => {
    game = await client.newGame({ maxPlayers: 1_000 });
    await eachOf(range(joins), 8, async (index) => {
      assert.equal((await client.join(game, `p${index}`)).status, 200);
    });
    await until("the head file is up to date", async () => batchIn(folder) === newestBatch(folder));
  });
  return game;
}

function batchIn(folder: string): number {
  return JSON.parse(readFileSync(join(folder, "head.json"), "utf8")).batch;
}

function newestBatch(folder: string): number {
  const db = new DatabaseSync(join(folder, "openseat.db"), { timeout: 5_000 });
  try {
    return db.prepare("SELECT max(id) AS id FROM batches").get()!.id as number;
  } finally {
    db.close();
  }
}

const playersOf = async (client: Client, game: string) => (await client.look(game)).game.currentPlayers;

test("[LG8] no server starts on a copy without the write-ahead log until it is restored or the loss is accepted", async () => {
  const root = tempFolder();
  const [folder, copy] = [join(root.path, "data"), join(root.path, "copy")];
  const game = await playAndKill(folder);
  mkdirSync(copy);
  const others = ["openseat.db", "head.json", "secrets.json", "signing-keys.json"];
  for (const name of others) copyFileSync(join(folder, name), join(copy, name));

  const refused = await ChildServer.run(["--port", "0", "--data", copy]);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /^The log in the data folder .*copy went back: at least \d+ of \d+ acknowledged/,
  );
  assert.match(refused.stderr, /start once with --accept-lost-changes\.\n$/);

  copyFileSync(join(folder, "openseat.db-wal"), join(copy, "openseat.db-wal"));
  await running(copy, async (client) => assert.equal(await playersOf(client, game), joins));

  const lossy = join(root.path, "lossy");
  mkdirSync(lossy);
  for (const name of others) copyFileSync(join(folder, name), join(lossy, name));
  const accept = ["--accept-lost-changes"];
  await running(
    lossy,
    async (client, { stdout }) => {
      assert.equal((await client.get("/readyz")).status, 200);
      assert.match(
        stdout,
        /"level":40,.*The loss was accepted\. .* at least \d+ of \d+ acknowledged changes/,
      );
    },
    accept,
  );
  await running(lossy, async (client, { stdout }) => {
    assert.equal((await client.get("/readyz")).status, 200);
    assert.doesNotMatch(stdout, /The loss/);
  });
  root.remove();
});
