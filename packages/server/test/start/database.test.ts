import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { openStore } from "../../src/boot/store.ts";
import { newSystemClock } from "../../src/clock.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import { type Client, type Json, metric, range, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { type FreshDatabase, freshDatabase, postgresPassword, sharedPostgres } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { NodeProcess } from "./node-process.ts";

const { after, before, suite, test } = testsNeeding(missingPostgres);

/** Runs nodes and always stops them. */
async function withNodes(
  count: number,
  url: string,
  args: readonly string[],
  work: (nodes: readonly NodeProcess[], clients: readonly Client[]) => Promise<void>,
): Promise<void> {
  const nodes = range(count).map(() => new NodeProcess(url, args));
  let clients: Client[] = [];
  try {
    clients = await Promise.all(nodes.map((node) => node.started()));
    await work(nodes, clients);
  } finally {
    for (const client of clients) client.close();
    await Promise.all(nodes.map((node) => node.kill()));
  }
}

const kidsOf = async (client: Client): Promise<string[]> =>
  (await client.get("/.well-known/jwks.json")).body.keys.map(({ kid }: Json) => kid);

suite("nodes on one database", () => {
  let database: FreshDatabase;
  const folder = tempFolder();
  const data = join(folder.path, "data");
  const run = (word: string, ...args: string[]) =>
    ChildServer.run([word, ...args, "--data", data], { DATABASE_URL: database.url });
  before(async () => {
    database = await freshDatabase();
  });
  after(async () => {
    await database.drop();
    folder.remove();
  });

  test("keys and rotate-keys on an unused database give a sentence and code 2, and create nothing", async () => {
    for (const word of ["keys", "rotate-keys"]) {
      const { code, stdout, stderr } = await run(word);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(
        stderr,
        /^That database has no Openseat tables yet\. Start the server once, or check DATABASE_URL\.\n$/,
      );
    }
  });

  test("[AU4] [CL1] two nodes that start at once have the same secrets, which keys can print and no log contains", () =>
    withNodes(2, database.url, ["--data", data, "--log-level", "trace"], async (nodes, [one, other]) => {
      const { code, stdout } = await run("keys");
      assert.equal(code, 0);
      const { operatorKey, serviceKey } = JSON.parse(stdout);
      const guest = (await one.post("/api/v1/guests")).body.data.token as string;
      const game = { body: { title: "A game", maxPlayers: 2 }, token: guest };
      const made = await other.post("/api/v1/games", game);
      assert.equal(made.status, 201, made.text);
      for (const client of [one, other]) {
        const asked = await client.get("/api/v1/chat/dead-letters", { token: operatorKey });
        assert.equal(asked.status, 200, asked.text);
      }
      assert.deepEqual(await kidsOf(one), await kidsOf(other));
      assert.ok(!existsSync(data), "the data folder is not used");

      const secrets = [operatorKey, serviceKey, guest, postgresPassword];
      for (const { stdout, stderr } of nodes) {
        assert.match(
          stderr,
          /Keys for operators and services are in the database: npx openseat keys shows them\n/,
        );
        for (const secret of secrets) assert.ok(!(stdout + stderr).includes(secret), "a secret was logged");
      }
    }));

  test("nodes log their names, which are new at each start", async () => {
    const names: string[] = [];
    for (const _ of range(2))
      await withNodes(1, database.url, ["--data", data], async (nodes) => {
        for (const { logged } of nodes) {
          const own = new Set(logged.map(({ node }) => node));
          assert.equal(own.size, 1);
          names.push(...own);
        }
      });
    assert.equal(new Set(names).size, 2, names.join(" "));
  });

  test("[AD6] all nodes notice a rotation, and tokens of the old key stay valid", () =>
    withNodes(2, database.url, ["--data", data], async (_, clients) => {
      const [old] = await kidsOf(clients[0]);
      const { code, stdout, stderr } = await run("rotate-keys");
      assert.equal(code, 0, stderr);
      const kid = /new key (\S+)\.\n$/.exec(stdout)?.[1];
      for (const client of clients)
        assert.deepEqual(
          await until("the new key", async () => {
            const kids = await kidsOf(client);
            return kids.includes(kid!) && kids;
          }),
          [kid, old],
        );
      assert.equal((await run("rotate-keys", "--leaked")).code, 0);
      for (const client of clients)
        await until("the leaked keys to go", async () => (await kidsOf(client)).length === 1);
    }));

  test("[CL3] each node reports the number of nodes and one is the leader; when it is killed, another takes over", () =>
    withNodes(3, database.url, ["--data", data], async (nodes, clients) => {
      const sumOf = async (name: string, of: readonly Client[]) =>
        (await Promise.all(of.map((client) => metric(client, name)))).reduce((sum, value) => sum + value, 0);
      await until("each to see all", async () => (await sumOf("openseat_nodes", clients)) === 9);
      await until("one that takes care", async () => (await sumOf("openseat_leader", clients)) === 1);
      await until(
        "all nodes to have the database",
        async () => (await sumOf("openseat_database_up", clients)) === 3,
      );
      const takes = await Promise.all(clients.map((client) => metric(client, "openseat_leader")));
      const leader = takes.indexOf(1);
      await nodes[leader].kill();
      const left = clients.filter((_, index) => index !== leader);
      await until("another to take care", async () => (await sumOf("openseat_leader", left)) === 1);
      await until("each to see two", async () => (await sumOf("openseat_nodes", left)) === 4);
    }));

  test("[LG10] the database cancels a statement before storeTimeoutMs is over", async () => {
    const config = loadConfig(["--database-url", database.url, "--store-timeout-ms", "2000"], {});
    const logger = pino({ level: "silent" });
    const { log } = await openStore(config, {
      ...{ node: "a test", clock: newSystemClock(), logger },
      onFlush: () => {},
    });
    const [{ statement_timeout }] = await (log as PostgresLog).query("SHOW statement_timeout", []);
    assert.equal(statement_timeout, "1600ms");
    await log.close();
  });

  test("[AU4] commands that cannot reach the database give a sentence without the password and code 1", async () => {
    const { port } = await sharedPostgres();
    const wrong = `postgres://openseat:a-wrong-word@127.0.0.1:${port}/postgres`;
    for (const [url, sentence] of [
      [wrong, /^The database refuses the user name or the password\. Please check DATABASE_URL\.\n$/],
      [`${database.url}_not`, /^There is no such database on that server\./],
      ["postgres://openseat:a-wrong-word@127.0.0.1:1/x", /^The database cannot be reached: /],
    ] as const)
      for (const word of ["keys", "rotate-keys"]) {
        const { code, stdout, stderr } = await ChildServer.run([word], { DATABASE_URL: url });
        assert.deepEqual([code, stdout], [1, ""]);
        assert.match(stderr, sentence);
        assert.doesNotMatch(stderr, /a-wrong-word|not-a-secret|\n\s+at /);
      }
  });
});
