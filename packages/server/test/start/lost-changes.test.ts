import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import { type Client, eachOf, metric, range, until } from "../support/http.ts";
import { issuerFlags } from "../support/tokens.ts";

const joins = 300;

/** Runs the server on a folder, and ends it whatever happens. */
async function running(
  folder: string,
  work: (client: Client, server: ChildServer) => Promise<void>,
  more: readonly string[] = [],
): Promise<void> {
  const server = await ChildServer.start(["--data", folder, ...issuerFlags, ...more]);
  const client = server.client();
  try {
    await work(client, server);
  } finally {
    client.close();
    await server.kill();
  }
}

/** 300 people join one after the other in each of a few lanes; then the head file is up to date, and the server is killed. */
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
  return changed(folder, (db) => db.prepare("SELECT max(id) AS id FROM batches").get()!.id as number);
}

function changed<T>(folder: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(folder, "openseat.db"), { timeout: 5_000 });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const playersOf = async (client: Client, game: string) => (await client.look(game)).game.currentPlayers;

test("[LG8] a copy without the write-ahead log is not started on, until it is put back or the loss is accepted", async () => {
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

test("[LG9] damage is told after the start without anybody asking for it, and the other rooms are served", async () => {
  const root = tempFolder();
  const folder = root.path;
  const damaged = await playAndKill(folder);
  const checked = /"streams":(\d+),"damagedRooms":(\d+),.*"the log has been checked"/;
  let whole = "";
  await running(folder, async (client, server) => {
    whole = await client.newGame();
    await client.join(whole, "ann");
    assert.deepEqual((await client.get("/readyz")).body, { status: "ready" });
    await until("the log has been checked", async () => checked.test(server.stdout));
    assert.equal(checked.exec(server.stdout)![2], "0");
    assert.deepEqual(await server.signal("SIGTERM"), { code: 0, signal: null });
  });
  changed(folder, (db) => {
    const batch = db
      .prepare("SELECT id, lines FROM batches JOIN streams ON stream = number WHERE name = ? AND first > 100")
      .get(`game/${damaged}`) as { id: number; lines: string };
    const lines = batch.lines.replace(/"p(\d)/, '"q$1');
    assert.notEqual(lines, batch.lines);
    db.prepare("UPDATE batches SET lines = ? WHERE id = ?").run(lines, batch.id);
  });
  await running(folder, async (client, server) => {
    await until("the log has been checked", async () => checked.test(server.stdout));
    assert.equal(checked.exec(server.stdout)![2], "1");
    const { status, body } = await client.get("/readyz");
    assert.deepEqual(
      [status, body],
      [
        200,
        {
          status: "ready",
          damaged: {
            rooms: 1,
            snapshots: 0,
            names: [`game/${damaged}`],
            message:
              "Only these rooms are affected: all others work. The server's log says what is wrong with each.",
          },
        },
      ],
    );
    assert.equal(await metric(client, "openseat_damaged_rooms"), 1);
    const lines = server.stdout.split("\n").filter((line) => /"the log of a room is damaged"/.test(line));
    assert.equal(lines.length, 1);
    assert.match(
      lines[0],
      new RegExp(`"level":50,.*"stream":"game/${damaged}","reason":"the versions \\d+ to`),
    );
    assert.equal(await playersOf(client, whole), 1);
    assert.equal((await client.join(whole, "bob")).status, 200);
    assert.equal((await client.get(`/api/v1/games/${damaged}`)).body.code, "log.damaged");
    assert.equal(await metric(client, "openseat_damaged_rooms"), 1);
  });
  root.remove();
});
