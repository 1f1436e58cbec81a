import assert from "node:assert/strict";
import { EventClient, LiveClient } from "../live/clients.ts";
import { Client, range } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { missingNginx, type Nginx, startNginxInFrontOf } from "../support/nginx.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { Cluster } from "./cluster.ts";

const { after, before, suite, test } = testsNeeding(missingPostgres, missingNginx);

suite("examples/several-nodes: nginx in front of them", () => {
  let cluster: Cluster;
  let nginx: Nginx;
  let client: Client;
  before(async () => {
    cluster = await Cluster.start(2, { flags: ["--trust-proxy"] });
    nginx = await startNginxInFrontOf(cluster.nodes.map(({ url }) => Number(new URL(url).port)));
    client = new Client(nginx.url);
  });
  after(async () => {
    client?.close();
    await nginx?.stop();
    await cluster?.close();
  });

  test("[CL1] [FD4] requests go to both nodes, and live connections through nginx see all changes", async () => {
    const game = await client.newGame({ maxPlayers: 20 });
    const watching = [await LiveClient.open(nginx.url), await EventClient.open(nginx.url, game)] as const;
    await watching[0].ask({ type: "watch", game });
    for (const index of range(12)) assert.equal((await client.join(game, `p${index}`)).status, 200);
    for (const index of range(12))
      assert.equal((await client.canJoin(game, `p${index}`)).isParticipant, true);
    for (const each of watching) assert.equal((await each.at(13)).version, 13);
    for (const { client: own } of cluster.nodes)
      assert.match(
        (await own.get("/metrics")).text,
        /openseat_http_requests_total\{[^}]*\/join"[^}]*\} [1-9]/,
      );
    for (const each of watching) each.close();
  });

  test("[AU7] operator routes and the metrics cannot be reached through nginx", async () => {
    const body = { id: "shop", title: "The shop", maxActive: 1 };
    const asked = { method: "POST", token: (await cluster.keys()).operatorKey, body };
    assert.equal((await client.call("/api/v1/queues", asked)).status, 404);
    assert.equal((await client.call("/api/v1/%71ueues", asked)).status, 404);
    assert.equal((await client.get("/metrics")).status, 404);
    assert.equal((await client.get("/api/v1/queues")).status, 200);
    assert.equal((await cluster.nodes[0].client.call("/api/v1/queues", asked)).status, 201);
    assert.equal((await client.get("/api/v1/queues/shop")).status, 200);
  });

  test("[CL3] when one node is killed, the other answers", async () => {
    const game = await client.newGame();
    await cluster.nodes[0].kill();
    for (const index of range(4)) assert.equal((await client.join(game, `p${index}`)).status, 200);
    assert.equal((await client.look(game)).game.currentPlayers, 4);
  });
});
