import assert from "node:assert/strict";
import { EventClient, LiveClient } from "../live/clients.ts";
import { ChildServer } from "../support/child-server.ts";
import { assertRefused, type Json, range, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { secretsIn } from "../support/store.ts";
import { tokenOf } from "../support/tokens.ts";
import { Cluster, type Node } from "./cluster.ts";

const { after, before, suite, test } = testsNeeding(missingPostgres);

suite("three nodes, started at once on an empty database", () => {
  let cluster: Cluster;
  let nodes: readonly Node[];
  let operatorKey: string;
  before(async () => {
    cluster = await Cluster.start(3);
    nodes = cluster.nodes;
    ({ operatorKey } = await cluster.keys());
  });
  after(() => cluster?.close());

  /** The id of a waiting room that admits one person. */
  async function newQueue(id: string): Promise<string> {
    const body = { id, title: "A queue", maxActive: 1 };
    const answer = await nodes[0].client.post("/api/v1/queues", { token: operatorKey, body });
    assert.equal(answer.status, 201, answer.text);
    return id;
  }

  test("[CL1] [AU4] have the same secrets and keys, created once", async () => {
    for (const { client } of nodes)
      assert.equal((await client.get("/api/v1/chat/dead-letters", { token: operatorKey })).status, 200);
    const published = await Promise.all(nodes.map(({ client }) => client.get("/.well-known/jwks.json")));
    assert.equal(published[0].body.keys.length, 1);
    for (const { text } of published) assert.equal(text, published[0].text);
  });

  test("[CL1] join, read and leave on three nodes: each sees what was acknowledged before", async () => {
    for (const round of range(6)) {
      const [a, b, c] = range(3).map((index) => nodes[(round + index) % 3].client);
      const game = await a.newGame();
      assert.equal((await b.join(game, "ann")).status, 200);
      assert.equal((await c.canJoin(game, "ann")).isParticipant, true);
      assert.equal((await a.look(game)).game.currentPlayers, 1);
      assert.equal((await c.leave(game, "ann")).status, 200);
      assert.deepEqual((await b.canJoin(game, "ann")).codes, []);
      assert.equal((await a.end(game)).status, 200);
      assertRefused(await c.join(game, "bob"), 400, "room.ended");
    }
  });

  test("[CL2] [GM7] when many people join through all nodes, exactly as many get a seat as there are", async () => {
    const game = await nodes[0].client.newGame({ maxPlayers: 5 });
    const answers = await Promise.all(
      range(60).map((index) => nodes[index % 3].client.join(game, `p${index}`)),
    );
    const full = answers.filter(({ body }) => body.code === "room.full");
    assert.equal(full.length, 55);
    for (const { client } of nodes) assert.equal((await client.look(game)).game.currentPlayers, 5);
  });

  test("[CL2] [RM3] [ID1] [ID2] a key sent to all nodes at once takes effect once, and all give the same answer", async () => {
    const game = await nodes[0].client.newGame({ maxPlayers: 50 });
    for (const person of ["ann", "bob", "cleo"]) {
      const answers = await Promise.all(
        range(9).map((index) => nodes[index % 3].client.join(game, person, `the key of ${person}`)),
      );
      for (const { status, text } of answers) assert.deepEqual([status, text], [200, answers[0].text]);
      const replayed = answers.filter(({ headers }) => headers["idempotent-replayed"] === "true");
      assert.equal(replayed.length, 8, "all but one are told that it was already done");
    }
    assert.equal((await nodes[1].client.look(game)).game.currentPlayers, 3);
    assertRefused(await nodes[2].client.leave(game, "ann", "the key of ann"), 422, "key.reused");
  });

  test("[CL1] [AD7] guest tokens, place ids, admissions and sessions are valid on all nodes", async () => {
    const queue = await newQueue("journey");
    const [a, b, c] = nodes.map(({ client }) => client);
    const { token } = (await a.post("/api/v1/guests")).body.data;
    const entered = await b.post(`/api/v1/queues/${queue}/positions`, { token });
    assert.equal(entered.status, 201, entered.text);
    const { id, status } = entered.body.data.position;
    assert.equal(status, "ADMITTED");
    const { position } = (await c.get(`/api/v1/positions/${id}`, { token })).body.data;
    const waiting = (await c.post(`/api/v1/queues/${queue}/positions`, { token: tokenOf("bob") })).body.data;
    const claim = { token, body: { token: position.token } };
    const claimed = await a.post("/api/v1/sessions", claim);
    assert.equal(claimed.status, 201, claimed.text);
    const again = await b.post("/api/v1/sessions", claim);
    assert.deepEqual([again.status, again.body.data.session.id], [200, claimed.body.data.session.id]);
    const completed = await c.post(`/api/v1/sessions/${claimed.body.data.session.id}/complete`, { token });
    assert.equal(completed.status, 200, completed.text);
    const next = await b.get(`/api/v1/positions/${waiting.position.id}`, { token: tokenOf("bob") });
    assert.equal(next.body.data.position.status, "ADMITTED");
  });

  test("[CL1] [FD1] [FD4] a watcher on one node sees changes of the others, in order and once", async () => {
    const game = await nodes[0].client.newGame({ maxPlayers: 50 });
    const socket = await LiveClient.open(nodes[0].url);
    const events = await EventClient.open(nodes[1].url, game);
    try {
      assert.equal((await socket.ask({ type: "watch", game })).status, 200);
      // On a busy machine, a late first view would show all joins at once.
      for (const watching of [socket, events]) await watching.at(1);
      for (const index of range(12)) {
        const answer = await nodes[index % 3].client.join(game, `p${index}`);
        assert.equal(answer.status, 200, answer.text);
      }
      for (const watching of [socket, events]) {
        await watching.at(13);
        const versions = watching.feed
          .filter(({ type }: Json) => type !== "view")
          .map(({ version }) => version);
        assert.deepEqual(
          versions,
          range(versions.length).map((index) => versions[0] + index),
        );
        assert.equal(versions.at(-1), 13);
      }
    } finally {
      socket.close();
      events.close();
    }
  });

  test("[CL1] [LS1] a live connection to any node keeps the place, whichever node manages the leases", async () => {
    const body = { id: "kept", title: "Kept", maxActive: 1, heartbeatTimeoutSeconds: 300 };
    await nodes[0].client.post("/api/v1/queues", { token: operatorKey, body });
    const enter = async (node: Node, person: string) => {
      const answer = await node.client.post("/api/v1/queues/kept/positions", { token: tokenOf(person) });
      return answer.body.data.position.id as string;
    };
    await enter(nodes[0], "insider");
    const kept = await Promise.all(nodes.map((node, index) => enter(node, `kept-${index}`)));
    await enter(nodes[0], "silent");
    const sockets = await Promise.all(
      nodes.map(({ url }, index) => LiveClient.open(url, { token: tokenOf(`kept-${index}`) })),
    );
    try {
      for (const [index, socket] of sockets.entries()) {
        const answer = await socket.ask({ type: "attend", position: kept[index] });
        assert.equal(answer.status, 200, JSON.stringify(answer));
      }
      // Start only now: on a slow machine people could lose their place before their connection opens.
      const changed = await nodes[2].client.call("/api/v1/queues/kept", {
        ...{ method: "PATCH", token: operatorKey, body: { heartbeatTimeoutSeconds: 8 } },
      });
      assert.equal(changed.status, 200, changed.text);
      const stats = async () => (await nodes[1].client.get("/api/v1/queues/kept/stats")).body.data.stats;
      // Silent people expire after one window; by then all windows of the others have ended, too.
      await until("the end of who is silent", async () => (await stats()).waiting === 3);
      assert.equal((await stats()).expired, 1);
    } finally {
      for (const socket of sockets) socket.close();
    }
  });

  test("[CL1] [AD6] a rotation of the signing keys reaches all nodes", async () => {
    const { code, stderr } = await ChildServer.run(["rotate-keys"], { DATABASE_URL: cluster.url });
    assert.equal(code, 0, stderr);
    const { keys } = await secretsIn(cluster.url, "signing-keys");
    const newest = keys.find(({ retiredAt }: Json) => retiredAt === undefined).kid;
    for (const { client } of nodes)
      await until("the new key", async () => {
        const { body } = await client.get("/.well-known/jwks.json");
        return body.keys.length === 2 && body.keys[0].kid === newest;
      });
  });
});
