import assert from "node:assert/strict";
import { assertRefused, type Client, type Json, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { type FreshDatabase, freshDatabase, PostgresServer, postgresPassword } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { NodeProcess } from "./node-process.ts";

const { after, before, suite, test } = testsNeeding(missingPostgres);

const nameOf = (url: string) => new URL(url).pathname.slice(1);

/** Asserts that the server is alive but not ready, and that requests are refused with a Retry-After. */
async function assertAway(client: Client, reason: RegExp): Promise<void> {
  assert.equal((await client.get("/healthz")).status, 200);
  const unready = await client.get("/readyz");
  assert.equal(unready.status, 503, unready.text);
  assert.match(String(unready.headers["retry-after"]), /^\d+$/);
  assert.equal(unready.body.status, "not ready");
  assert.match(unready.body.reason, reason);
  assert.ok(!unready.text.includes(postgresPassword));
  assertRefused(await client.get("/api/v1/games/nobody"), 503, "log.unavailable");
}

/** Asserts that the server works normally. */
async function assertServing(client: Client): Promise<void> {
  await until("a node that is ready", async () => (await client.get("/readyz")).status === 200);
  const { token } = (await client.post("/api/v1/guests")).body.data;
  const made = await client.post("/api/v1/games", { token, body: { title: "A game", maxPlayers: 2 } });
  assert.equal(made.status, 201, made.text);
}

/** The reported reasons for waiting, in order. */
const reasonsOf = ({ stderr }: NodeProcess): string[] =>
  [...stderr.matchAll(/ and continues by itself: (.*)\n/g)].map(([, reason]) => reason);

const reasonTold = (node: NodeProcess, reason: RegExp): Promise<unknown> =>
  until(`the reason ${reason}`, () => reasonsOf(node).some((told) => reason.test(told)));

const assertEachOnce = (told: readonly string[]): void =>
  assert.equal(new Set(told).size, told.length, told.join("\n"));

/** The log's reports about the database, in order. */
const saidOfDatabase = ({ logged }: NodeProcess): string[] =>
  logged.map(({ msg }: Json) => msg).filter((msg: string) => / database /.test(msg) && !/tables/.test(msg));

/** Changes the schema like a newer version whose tables this one cannot use. */
const tooNew = "UPDATE openseat.schema_version SET version = 999, compatible_from = 999";

suite("an unavailable database", () => {
  let server: PostgresServer;
  let database: FreshDatabase;
  const nodes: NodeProcess[] = [];
  const clients: Client[] = [];
  before(async () => {
    server = await PostgresServer.start();
    database = await freshDatabase(server);
  });
  after(async () => {
    for (const client of clients) client.close();
    await Promise.all(nodes.map((node) => node.kill()));
    await server.stop();
  });

  const startOn = (url: string) => {
    const node = new NodeProcess(url);
    nodes.push(node);
    return node;
  };
  const kept = (client: Client) => {
    clients.push(client);
    return client;
  };

  test("[CL4] a node that starts during an outage says so once, waits with its port open, and continues by itself", async () => {
    await server.kill();
    const node = startOn(database.url);
    const early = kept(await node.waiting());
    await reasonTold(node, /^The database cannot be reached: /);
    for (let round = 0; round < 3; round++) await assertAway(early, /^The database cannot be reached: /);
    assertEachOnce(reasonsOf(node));

    await server.restart();
    const client = kept(await node.started());
    const addressOf = (sentence: RegExp) => sentence.exec(node.stderr)?.[1];
    assert.equal(addressOf(/waits at (\S+)/), addressOf(/Openseat is at (\S+)\n/), "the port has changed");
    await assertServing(client);
    assert.ok(!(node.stdout + node.stderr).includes(postgresPassword));
    assert.deepEqual(await node.signal("SIGTERM"), { code: 0, signal: null });
  });

  test("[CL4] SIGTERM while it waits ends it at once with code 0", async () => {
    const node = startOn(server.url("postgres", "a-wrong-word"));
    const client = kept(await node.waiting());
    await reasonTold(node, /refuses the user name or the password/);
    await assertAway(client, /refuses the user name or the password/);
    assert.deepEqual(await node.signal("SIGTERM"), { code: 0, signal: null });
    assert.ok(!(node.stdout + node.stderr).includes("a-wrong-word"));
  });

  test("[CL4] while the database must be created or opened first, each reason is reported once, and then the start continues", async () => {
    const url = server.url("made_later");
    const node = startOn(url);
    const client = kept(await node.waiting());
    await reasonTold(node, /^There is no such database on that server\./);
    await assertAway(client, /^There is no such database on that server\./);
    await server.run("CREATE DATABASE made_later WITH ALLOW_CONNECTIONS false");
    await server.run("ALTER DATABASE made_later SET default_transaction_read_only = on");
    await server.run("ALTER DATABASE made_later WITH ALLOW_CONNECTIONS true");
    await reasonTold(node, /^The database is read-only/);
    await assertAway(client, /^The database is read-only/);
    await server.run("ALTER DATABASE made_later SET default_transaction_read_only = off");
    await assertServing(kept(await node.started()));
    assertEachOnce(reasonsOf(node));
    await node.kill();
  });

  test("[CL4] an outage while a node runs is refused at once, reported once, and recovers by itself", async () => {
    const node = startOn(database.url);
    const client = kept(await node.started());
    await assertServing(client);
    for (const _ of [1, 2]) {
      await server.kill();
      await until("a node that is not ready", async () => (await client.get("/readyz")).status === 503);
      await assertAway(client, /^The database /);
      const { token } = (await client.post("/api/v1/guests")).body.data;
      const refused = await client.post("/api/v1/games", { token, body: { title: "Never", maxPlayers: 2 } });
      assertRefused(refused, 503, "log.unavailable");
      assert.equal(refused.body.retryable, true);
      await server.restart();
      await assertServing(client);
      const said = saidOfDatabase(node);
      const again = said.filter((sentence, index) => sentence === said[index - 1]);
      assert.deepEqual(again, [], "an unchanged reason was reported again");
      assert.equal(said.at(-1), "the database can be used again");
    }
    assert.deepEqual(
      node.logged.filter(({ level }) => level >= 50),
      [],
      "an outage of the database was logged as a server fault",
    );
    await node.kill();
  });

  test("[CL4] a running node that is stopped during an outage exits with code 0", async () => {
    const node = startOn(database.url);
    const client = kept(await node.started());
    await assertServing(client);
    await server.kill();
    await until("a node that is not ready", async () => (await client.get("/readyz")).status === 503);
    assert.deepEqual(await node.signal("SIGTERM"), { code: 0, signal: null });
    await server.restart();
  });

  test("a database of a newer, incompatible version gives a sentence and code 1", async () => {
    const other = await freshDatabase(server);
    await startOn(other.url).started();
    await nodes.at(-1)?.kill();
    await server.run(tooNew, nameOf(other.url));
    const node = startOn(other.url);
    assert.deepEqual(await node.ended, { code: 1, signal: null });
    // A slow database is waited for first.
    assert.match(
      node.stderr,
      /^(?:Openseat waits [^\n]*\n)?The database was written by a newer Openseat \(schema 999, [^\n]*\n$/,
    );
    await other.drop();
  });

  test("[CL4] a database that becomes too new while a node runs makes it permanently not ready, which is reported once", async () => {
    const other = await freshDatabase(server);
    const node = startOn(other.url);
    const client = kept(await node.started());
    await assertServing(client);
    await server.run(tooNew, nameOf(other.url));
    const isRed = async () => (await client.get("/readyz")).status === 503;
    await until("a node that is not ready", isRed);
    await assertAway(client, /^The database was written by a newer Openseat/);
    assert.equal(node.logged.filter(({ level }) => level >= 50).length, 1);
    assert.deepEqual(await node.signal("SIGTERM"), { code: 0, signal: null });
    await other.drop();
  });
});
