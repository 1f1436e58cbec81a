import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { Desk, isoTime } from "../queues/desk.ts";
import { type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { EventClient, LiveClient, type Watching } from "./clients.ts";

const kinds = ["WebSocket", "server-sent events"] as const;

suite("the feed of a queue, for services and operators", () => {
  let server: TestServer;
  let desk: Desk;

  before(async () => {
    server = await startServer();
    desk = new Desk(server);
  });
  after(() => server.stop());

  async function watch(kind: (typeof kinds)[number], queue: string, after?: number): Promise<Watching> {
    const from = after === undefined ? {} : { after };
    const token = desk.serviceKey;
    if (kind === "server-sent events")
      return EventClient.open(server.url, queue, { kind: "queue", token, ...from });
    const live = await LiveClient.open(server.url, { token });
    const answer = await live.ask({ type: "watch", queue, ...from });
    assert.deepEqual([answer.status, answer.body.data], [200, { queue }]);
    return live;
  }

  /** Every kind of event in a queue, one entry after the other; returns the ids of the positions by name. */
  async function everything(queue: string): Promise<Record<string, string>> {
    const ann = await desk.entered(queue, "ann");
    const bob = await desk.entered(queue, "bob");
    const cleo = await desk.entered(queue, "cleo");
    const dan = await desk.entered(queue, "dan");
    const session = await desk.claimed(ann.token, "ann");
    await desk.cancel(bob.id, "bob");
    await desk.complete(session.id, tokenOf("ann"));
    await desk.terminate(
      (await desk.claimed((await desk.shown(cleo.id, "cleo")).token, "cleo")).id,
      desk.serviceKey,
    );
    await desk.pause(queue);
    await desk.cancel(dan.id, "dan");
    return { ann: ann.id, bob: bob.id, cleo: cleo.id, dan: dan.id };
  }

  for (const kind of kinds) {
    test(`[FD5] ${kind}: a view, then all events in order, with the counts after each entry`, async () => {
      const queue = await desk.newQueue({ title: "Watched" });
      const watching = await watch(kind, queue);
      assert.deepEqual(await watching.at(1), { type: "view", version: 1, queue: await desk.look(queue) });
      const ids = await everything(queue);
      await watching.at(11);
      watching.close();
      const told = watching.feed.slice(1);
      assert.deepEqual(
        told.map(({ type, version, queue: room }) => [type, version, room]),
        range(10).map((index) => ["change", index + 2, queue]),
      );
      for (const { at, changes } of told) {
        assert.match(at, isoTime);
        for (const { type, claimBy = at, endTime = at } of changes)
          assert.ok(claimBy >= at && endTime >= at && (type !== "claimed" || endTime > at));
      }
      const nameOf = (id: string) => Object.keys(ids).find((name) => ids[name] === id);
      const wordsOf = ({ type, positionId, userId, position, reason, queue: settings }: Json) =>
        [type, settings?.status ?? nameOf(positionId), userId, position, reason].filter(Boolean).join(" ");
      assert.deepEqual(
        told.map(({ changes, waiting, admitted, active, moved }) => [
          changes.map(wordsOf).join(", "),
          ...[waiting, admitted, active, moved],
        ]),
        [
          ["entered ann ann 1, admitted ann", 0, 1, 0, 1],
          ["entered bob bob 1", 1, 1, 0, 1],
          ["entered cleo cleo 2", 2, 1, 0, 1],
          ["entered dan dan 3", 3, 1, 0, 1],
          ["claimed ann ann", 3, 0, 1, 1],
          ["left bob cancelled", 2, 0, 1, 1],
          ["completed ann, admitted cleo", 1, 1, 0, 2],
          ["claimed cleo cleo", 1, 0, 1, 2],
          ["expired cleo terminated, admitted dan", 0, 1, 0, 3],
          ["settings-changed PAUSED", 0, 1, 0, 3],
        ],
      );
    });
  }

  test("[FD5] [FD1] it resumes after the last version seen, without gap or repeat", async () => {
    const queue = await desk.newQueue({ maxActive: 5 });
    for (const index of range(20)) await desk.entered(queue, `p${index}`);
    const whole = await watch("WebSocket", queue, 0);
    await whole.at(21);
    whole.close();
    const watching = await watch("server-sent events", queue, 7);
    await watching.at(21);
    watching.close();
    assert.deepEqual(watching.feed, whole.feed.slice(7));
  });

  test("[FD5] an unknown queue, and a queue that is no longer watched", async () => {
    const live = await LiveClient.open(server.url, { token: desk.operatorKey });
    const missing = await live.ask({ type: "watch", queue: "nowhere" });
    assert.deepEqual([missing.status, missing.body.code], [404, "room.not-found"]);
    const queue = await desk.newQueue();
    await live.ask({ type: "watch", queue });
    await live.at(1);
    await live.ask({ type: "unwatch", queue });
    await desk.entered(queue, "ann");
    await live.ask({ type: "ping" });
    assert.equal(live.feed.length, 1);
    live.close();
  });

  test("[AU3] people and anonymous clients are refused, and a connection that becomes one gets nothing more", async () => {
    const queue = await desk.newQueue();
    const refusedAs = async (token?: string) => {
      const live = await LiveClient.open(server.url, token === undefined ? {} : { token });
      const { status, body } = await live.ask({ type: "watch", queue });
      live.close();
      const overHttp = await desk.client.get(`/api/v1/queues/${queue}/events`, { token });
      assert.deepEqual([overHttp.status, overHttp.body.code], [status, body.code]);
      return [status, body.code];
    };
    await desk.entered(queue, "ann");
    assert.deepEqual(await refusedAs(tokenOf("ann")), [403, "auth.forbidden"], "not even with a place in it");
    assert.deepEqual(await refusedAs(), [401, "auth.missing"]);
    const live = await LiveClient.open(server.url, { token: desk.serviceKey });
    await live.ask({ type: "watch", queue });
    await live.at(2);
    await live.ask({ type: "auth", token: tokenOf("ann") });
    await desk.entered(queue, "bob");
    await live.ask({ type: "ping" });
    assert.equal(live.feed.length, 1);
    live.close();
  });
});
