import assert from "node:assert/strict";
import { Cluster, type Node } from "../nodes/cluster.ts";
import { tempFolder } from "../support/folder.ts";
import { missingCurl } from "../support/guide-shell.ts";
import { type Answer, type Json, metric, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { PostgresServer } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { Relay } from "../support/relay.ts";
import { OperationsPage, postgresStandIns as standIns } from "./operations-page.ts";

const { test } = testsNeeding(missingPostgres, missingCurl);

const joining = ({ client }: Node, game: string, person: string) =>
  client.join(game, person, `key of ${person}`);

/** Retries until the database is back: the key tells whether the request took effect. */
const insisting = (node: Node, game: string, person: string): Promise<Answer> =>
  until(`${person} has joined`, async () => {
    const answer = await joining(node, game, person);
    return answer.status === 200 && answer;
  });

test("[CL6] [CL7] docs/operations/failover.md: exactly what it says is lost", async () => {
  const page = new OperationsPage("failover");
  const folder = tempFolder();
  const primary = await PostgresServer.start();
  const replication = await Relay.start(primary.port);
  let standby: PostgresServer | undefined;
  let cluster: Cluster | undefined;
  try {
    standby = await primary.standby(replication.port, "standby");
    cluster = await Cluster.start(2, { pair: { primary, standby, isNamed: true } });
    const [one, two] = cluster.nodes;
    const place = {
      folder: folder.path,
      here: { "http://localhost:8080": one.url },
      variables: { PRIMARY: primary.url(), STANDBY: standby.url() },
      standIns,
    };
    await page.run("SET synchronous_standby_names", place);
    await until("a synchronous standby", async () => {
      const [{ state }] = await primary.run("SELECT sync_state AS state FROM pg_stat_replication");
      return state === "sync";
    });
    assert.match(await page.run("bytes_behind", place), /^standby \| sync \| \d+$/m);
    const game = await one.client.newGame({ maxPlayers: 100 });
    for (const person of ["ann", "bob"]) await insisting(one, game, person);

    replication.refuse();
    assert.equal((await joining(one, game, "cat")).status, 503);
    await until("a red node", async () => (await two.client.get("/readyz")).status === 503);
    await page.run("RESET synchronous_standby_names", place);
    for (const person of ["cat", "dan"]) await insisting(one, game, person);

    await primary.kill();
    // It may still be red because of the standby, and would not notice a failover that is over at once.
    await until("the outage is noticed", () => one.said.includes("the database cannot be used"));
    await page.run("pg_promote", place);
    await insisting(two, game, "eve");
    await insisting(one, game, "fay");
    await until("a fork is seen", async () => (await metric(one.client, "openseat_log_forks_total")) > 0);
    await until("a node that is ready", async () => (await one.client.get("/readyz")).status === 200);
    await until("both nodes are back", async () => (await metric(one.client, "openseat_nodes")) === 2);
    const seen = await page.run("readyz", place);
    assert.match(seen, /"ready"/);
    assert.match(seen, /^openseat_database_up 1$/m);
    assert.match(seen, /openseat_nodes 2$/m);
    assert.match(seen, /^openseat_log_forks_total [1-9]\d*$/m);
    for (const { client } of [one, two])
      assert.deepEqual(
        (await client.participants(game)).map(({ userId }: Json) => userId),
        ["ann", "bob", "eve", "fay"],
      );
    page.assertDone(one.said);
  } finally {
    await replication.close();
    await cluster?.close();
    await primary.stop();
    await standby?.stop();
    folder.remove();
  }
});
