import assert from "node:assert/strict";
import { EventClient, LiveClient } from "../live/clients.ts";
import { missingCaddy, startCaddyInFrontOf } from "../support/caddy.ts";
import { Client, range, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { missingNginx, startNginxInFrontOf } from "../support/nginx.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { tokenOf } from "../support/tokens.ts";
import { Cluster } from "./cluster.ts";

for (const { name, missing, startInFrontOf } of [
  { name: "examples/several-nodes: nginx", missing: missingNginx, startInFrontOf: startNginxInFrontOf },
  {
    name: "examples/caddy/several-nodes.Caddyfile: Caddy",
    missing: missingCaddy,
    startInFrontOf: startCaddyInFrontOf,
  },
]) {
  const { after, before, suite, test } = testsNeeding(missingPostgres, missing);

  suite(`${name} in front of them`, () => {
    let cluster: Cluster;
    let proxy: { readonly url: string; stop(): Promise<void> };
    let client: Client;
    before(async () => {
      cluster = await Cluster.start(2, { flags: ["--trust-proxy"] });
      proxy = await startInFrontOf(cluster.nodes.map(({ url }) => Number(new URL(url).port)));
      client = new Client(proxy.url);
    });
    after(async () => {
      client?.close();
      await proxy?.stop();
      await cluster?.close();
    });

    test("[CL1] [FD4] both nodes get requests, and live connections through the proxy see all changes", async () => {
      // So many that both nodes have some of them.
      const games = await Promise.all(range(30).map(() => client.newGame({ maxPlayers: 20 })));
      const [game] = games;
      const watching = [await LiveClient.open(proxy.url), await EventClient.open(proxy.url, game)] as const;
      await watching[0].ask({ type: "watch", game });
      for (const each of games)
        for (const index of range(4)) assert.equal((await client.join(each, `p${index}`)).status, 200);
      for (const index of range(4))
        assert.equal((await client.canJoin(game, `p${index}`)).isParticipant, true);
      for (const each of watching) assert.equal((await each.at(5)).version, 5);
      for (const joins of await joinsPerNode(cluster))
        assert.ok(joins > 0, `one of the nodes got ${joins} joins`);
      for (const each of watching) each.close();
    });

    test("[CL1] all requests of a room go to the same node", async () => {
      const game = await client.newGame({ maxPlayers: 20 });
      const before = await joinsPerNode(cluster);
      for (const index of range(10)) assert.equal((await client.join(game, `q${index}`)).status, 200);
      const joins = (await joinsPerNode(cluster)).map((count, node) => count - before[node]);
      assert.deepEqual(joins.toSorted(), [0, 10]);
    });

    test("[CL1] positions and sessions go to the node of their queue", async () => {
      const { operatorKey } = await cluster.keys();
      const [node] = cluster.nodes;
      for (const index of range(4)) {
        const id = `a-queue-${index}`;
        const body = { id, title: "A queue", maxActive: 10, rate: null };
        const made = await node.client.post("/api/v1/queues", { token: operatorKey, body });
        assert.equal(made.status, 201, made.text);
        const before = await queueRequestsPerNode(cluster);
        const entered = await client.post(`/api/v1/queues/${id}/positions`, { token: tokenOf("ann") });
        assert.equal(entered.status, 201, entered.text);
        const { position } = entered.body.data;
        for (const _ of range(4)) {
          const asked = await client.get(`/api/v1/positions/${position.id}`, { token: tokenOf("ann") });
          assert.equal(asked.status, 200, asked.text);
        }
        const requests = (await queueRequestsPerNode(cluster)).map((count, each) => count - before[each]);
        assert.deepEqual(requests.toSorted(), [0, 5]);
      }
    });

    test("[AU7] operator routes and the metrics cannot be reached through the proxy", async () => {
      const body = { id: "shop", title: "The shop", maxActive: 1 };
      const asked = { method: "POST", token: (await cluster.keys()).operatorKey, body };
      assert.equal((await client.call("/api/v1/queues", asked)).status, 404);
      assert.equal((await client.call("/api/v1/%71ueues", asked)).status, 404);
      assert.equal((await client.get("/metrics")).status, 404);
      assert.equal((await client.get("/api/v1/queues")).status, 200);
      assert.equal((await cluster.nodes[0].client.call("/api/v1/queues", asked)).status, 201);
      assert.equal((await client.get("/api/v1/queues/shop")).status, 200);
    });

    test("[CL3] [CL1] when a node is killed under load, its rooms move to the other and nothing is lost", async () => {
      const games = await Promise.all(range(12).map(() => client.newGame({ maxPlayers: 1_000 })));
      const joined = new Map<string, string[]>(games.map((game) => [game, []]));
      let [isKilled, isOver] = [false, false];
      const people = games.map(async (game) => {
        for (let number = 0; !isOver; number++) {
          const person = `${isKilled ? "late" : "early"}-${number}`;
          await joinUntilAnswered(client, game, person);
          joined.get(game)!.push(person);
        }
      });
      const everyRoomHas = (name: string) =>
        until(`${name} joins in every room`, () =>
          [...joined.values()].every((persons) => persons.some((person) => person.startsWith(name))),
        );
      await everyRoomHas("early");
      await cluster.nodes[0].kill();
      isKilled = true;
      await everyRoomHas("late");
      isOver = true;
      await Promise.all(people);
      for (const [game, persons] of joined) {
        const seated = (await client.participants(game)).map(({ userId }) => userId);
        assert.deepEqual(seated.toSorted(), persons.toSorted());
      }
    });
  });
}

/** Joins that each node has answered. */
function joinsPerNode(cluster: Cluster): Promise<number[]> {
  return answersPerNode(cluster, /^openseat_http_requests_total\{[^}]*\/join"[^}]*\} (\d+)$/gm);
}

/** Requests to enter a queue or about a position that each node has answered. */
function queueRequestsPerNode(cluster: Cluster): Promise<number[]> {
  return answersPerNode(cluster, /^openseat_http_requests_total\{[^}]*\/positions[^}]*\} (\d+)$/gm);
}

function answersPerNode({ nodes }: Cluster, counters: RegExp): Promise<number[]> {
  return Promise.all(
    nodes.map(async ({ client }) => {
      const { text } = await client.get("/metrics");
      return [...text.matchAll(counters)].reduce((sum, [, count]) => sum + Number(count), 0);
    }),
  );
}

/** Repeats the join with the same key, as clients do when an answer is lost. */
async function joinUntilAnswered(client: Client, game: string, person: string): Promise<void> {
  await until(`an answer to ${person}`, async () => {
    const answer = await client.join(game, person, `${game}-${person}`).catch(() => undefined);
    return answer?.status === 200;
  });
}
