import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { type Answer, assertRefused, type Json, metric, range, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { PostgresServer } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { Relay } from "../support/relay.ts";
import { tokenOf } from "../support/tokens.ts";
import { Cluster, type Node } from "./cluster.ts";

const { suite, test } = testsNeeding(missingPostgres);
/** FAILOVERS sets how often each kind of failover runs in each way (1 by default). */
const failovers = Number(process.env.FAILOVERS ?? 1);
const standbyName = "standby";

interface Stage {
  readonly cluster: Cluster;
  readonly standby: PostgresServer;
  /** A relay between the primary and its standby. */
  readonly replication: Relay;
  readonly context: TestContext;
}

const withStandby =
  (isNamed: boolean, work: (stage: Stage) => Promise<void>) => async (context: TestContext) => {
    const primary = await PostgresServer.start();
    const replication = await Relay.start(primary.port);
    let standby: PostgresServer | undefined;
    let cluster: Cluster | undefined;
    try {
      standby = await primary.standby(replication.port, standbyName);
      cluster = await Cluster.start(3, { pair: { primary, standby, isNamed } });
      await work({ cluster, standby, replication, context });
    } finally {
      await replication.close();
      await cluster?.close();
      await primary.stop();
      await standby?.stop();
    }
  };

async function newGame(node: Node, maxPlayers: number): Promise<string> {
  const call = { token: tokenOf("maker"), body: { title: "A game", maxPlayers } };
  return (await node.client.post("/api/v1/games", call)).body.data.game.id;
}

/** Retries until the database is back: a 503 changed nothing, or the key returns the earlier answer. */
function insisting(node: Node, verb: "join" | "leave", game: string, person: string): Promise<Answer> {
  const call = { token: tokenOf(person), headers: { "idempotency-key": `${verb}-${person}` } };
  return until(`${person} can ${verb}`, async () => {
    const answer = await node.client.post(`/api/v1/games/${game}/${verb}`, call);
    return answer.status === 503 ? undefined : answer;
  });
}

async function seatedIn(node: Node, game: string): Promise<string[] | undefined> {
  const { status, body } = await node.client.get(`/api/v1/games/${game}/participants`);
  return status === 200 ? body.data.participants.map(({ userId }: Json) => userId) : undefined;
}

async function untilSeated(nodes: readonly Node[], game: string, expected: readonly string[]): Promise<void> {
  for (const node of nodes) {
    const isSeen = async () => (await seatedIn(node, game))?.join() === expected.join();
    await until(`a node shows ${expected}`, isSeen);
  }
}

/** Restarts one node, so that it reads the whole log: a broken chain would be refused. */
async function assertWhole(
  [first, ...others]: readonly Node[],
  game: string,
  expected: readonly string[],
): Promise<void> {
  await first.kill();
  await first.start();
  for (const node of [first, ...others]) assert.deepEqual(await seatedIn(node, game), expected);
}

/** Only the tail that the standby did not get is lost, and all nodes agree on the rest. */
async function loseTail({ cluster, standby, replication, context }: Stage): Promise<void> {
  const [one, two, three] = cluster.nodes;
  const game = await newGame(one, 3);
  assert.equal((await insisting(one, "join", game, "p1")).status, 200);
  await standby.untilReplayed(cluster.postgres);
  replication.refuse();
  for (const person of ["p2", "p3"]) assert.equal((await insisting(one, "join", game, person)).status, 200);
  await cluster.failOver();
  const promotedAt = performance.now();
  assert.equal((await insisting(two, "join", game, "q1")).status, 200);
  context.diagnostic(`a join ${Math.round(performance.now() - promotedAt)} ms after the promotion`);
  assert.equal((await insisting(two, "join", game, "q2")).status, 200);
  // In the first node's memory p2 has a seat: leaving it would take another person's seat.
  assertRefused(await insisting(one, "leave", game, "p2"), 400, "place.missing");
  await untilSeated([one, two, three], game, ["p1", "q1", "q2"]);
  assertRefused(await insisting(three, "join", game, "r1"), 400, "room.full");
  assert.ok((await metric(one.client, "openseat_log_forks_total")) > 0);
  assert.match(one.said, /the log went back/);
  await assertWhole(cluster.nodes, game, ["p1", "q1", "q2"]);
}

/** Everything acknowledged is kept, while all nodes keep writing. */
async function keepAll({ cluster }: Stage): Promise<void> {
  await cluster.postgres.run(`ALTER SYSTEM SET synchronous_standby_names = '${standbyName}'`);
  await cluster.postgres.run("SELECT pg_reload_conf()");
  await until("a synchronous standby", async () => {
    const [{ state }] = await cluster.postgres.run("SELECT sync_state AS state FROM pg_stat_replication");
    return state === "sync";
  });
  const game = await newGame(cluster.nodes[0], 100);
  const acknowledged = new Set<string>();
  let isOver = false;
  const joining = cluster.nodes.map(async (node, index) => {
    for (let number = 0; !isOver; number++) {
      const person = `p${index}-${number}`;
      if ((await insisting(node, "join", game, person)).status === 200) acknowledged.add(person);
    }
  });
  await until("people have joined", () => acknowledged.size >= 15);
  await cluster.failOver();
  await until("more have joined", () => acknowledged.size >= 30);
  isOver = true;
  await Promise.all(joining);
  const seated = await seatedIn(cluster.nodes[2], game);
  assert.deepEqual(seated?.toSorted(), [...acknowledged].sort());
  await assertWhole(cluster.nodes, game, seated!);
}

suite("failover", () => {
  for (const round of range(failovers))
    for (const isNamed of [true, false]) {
      const way = `${isNamed ? "both servers are named" : "behind a proxy"}, ${round + 1}`;
      test(
        `[CL6] [CL7] to an asynchronous standby: only the tail is lost, and all nodes agree on the rest (${way})`,
        withStandby(isNamed, loseTail),
      );
      test(
        `[CL6] [CL7] to a synchronous standby: nothing acknowledged is lost (${way})`,
        withStandby(isNamed, keepAll),
      );
    }
});
