import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Answer, assertInvalid, assertRefused, type Json } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { Desk } from "./desk.ts";

function assertReplayed(again: Answer, first: Answer, what = ""): void {
  assert.equal(first.headers["idempotent-replayed"], undefined, what);
  assert.equal(again.headers["idempotent-replayed"], "true", `${what} ${again.status} ${again.text}`);
  assert.deepEqual([again.status, again.text], [first.status, first.text], what);
}

/** A changing request, identified by its route; sent again, it is identical. */
interface Act {
  readonly route: string;
  readonly ask: (key?: string) => Promise<Answer>;
}

suite("idempotency keys of waiting rooms", () => {
  let server: TestServer;
  let desk: Desk;

  before(async () => {
    server = await startServer();
    desk = new Desk(server);
  });
  after(() => server.stop());

  /** One request per changing route, in an order in which each has an effect. */
  async function* acts(id: string): AsyncGenerator<Act> {
    const make = { id, title: "Keys", maxActive: 1 };
    yield { route: "POST queues", ask: (key) => desk.create(make, key) };
    let ann: Json;
    yield {
      route: "POST queues/:id/positions",
      async ask(key) {
        const answer = await desk.enter(id, "ann", { key: key!, body: { metadata: { a: 1 } } });
        ann = answer.body.data.position;
        return answer;
      },
    };
    const body = { person: "bob", lane: "vip" };
    yield { route: "POST queues/:id/positions (service)", ask: (key) => desk.enterFor(id, body, key) };
    yield { route: "PATCH queues/:id", ask: (key) => desk.change(id, { rate: 7.5 }, key) };
    yield { route: "POST queues/:id/pause", ask: (key) => desk.pause(id, key) };
    yield { route: "POST queues/:id/resume", ask: (key) => desk.resume(id, key) };
    let session: Json;
    yield {
      route: "POST sessions",
      async ask(key) {
        const answer = await desk.claim(ann.token, "ann", { key: key! });
        session = answer.body.data.session;
        return answer;
      },
    };
    yield {
      route: "POST sessions/:id/complete",
      ask: (key) => desk.complete(session.id, tokenOf("ann"), key),
    };
    const cleo = await desk.entered(id, "cleo");
    yield { route: "DELETE positions/:id", ask: (key) => desk.cancel(cleo.id, "cleo", key) };
    const bob = (await desk.enterFor(id, { person: "bob" })).body.data.position;
    const inside = await desk.claimed(bob.token, "bob");
    yield { route: "DELETE sessions/:id", ask: (key) => desk.terminate(inside.id, desk.serviceKey, key) };
    await desk.change(id, { rate: null });
    const dan = await desk.claimed((await desk.entered(id, "dan")).token, "dan");
    yield {
      route: "DELETE sessions/:id (person)",
      ask: (key) => desk.terminate(dan.id, tokenOf("dan"), key),
    };
  }

  test("[ID1] [ID3] every changing request: the same key gives the identical response, also after a restart", async () => {
    const done: { act: Act; answer: Answer; key: string }[] = [];
    for await (const act of acts("replays")) {
      const key = `key of ${act.route}`;
      const answer = await act.ask(key);
      assert.ok(answer.status < 300, `${act.route}: ${answer.status} ${answer.text}`);
      const entries = await desk.entries();
      assertReplayed(await act.ask(key), answer, act.route);
      assert.equal(await desk.entries(), entries, `${act.route}: nothing more is written`);
      done.push({ act, answer, key });
    }
    const state = await desk.look("replays");
    for (const { act, answer, key } of done) assertReplayed(await act.ask(key), answer, act.route);
    server = await server.restart();
    desk = new Desk(server);
    for (const { act, answer, key } of done)
      assertReplayed(await act.ask(key), answer, `${act.route}, later`);
    assert.deepEqual(await desk.look("replays"), state);
  });

  test("[ID2] a key belongs to one request: with another it is refused, and nothing changes", async () => {
    const key = "the one key";
    const queue = "reused";
    await desk.create({ id: queue }, key);
    const other = [
      () => desk.create({ id: queue, title: "Another" }, key),
      () => desk.create({ id: queue, maxPerAddress: 2 }, key),
      () => desk.create({ id: queue, lanes: [{ name: "one", skips: 0 }] }, key),
      () => desk.change(queue, { rate: 2 }, key),
      () => desk.pause(queue, key),
      () => desk.resume(queue, key),
      () => desk.enterFor(queue, { person: "ann" }, key, desk.operatorKey),
    ];
    const before = await desk.look(queue);
    const entries = await desk.entries();
    for (const ask of other) assertRefused(await ask(), 422, "key.reused", ask.toString());
    assert.deepEqual(await desk.look(queue), before);
    assert.equal(await desk.entries(), entries);
  });

  test("[ID1] [ID2] a service's key belongs to the person it enters: for two people it is refused", async () => {
    const queue = await desk.newQueue({ maxActive: 5 });
    const ann = await desk.enterFor(queue, { person: "ann" }, "k");
    assert.equal(ann.status, 201);
    assertRefused(await desk.enterFor(queue, { person: "bob" }, "k"), 422, "key.reused");
    assertReplayed(await desk.enterFor(queue, { person: "ann" }, "k"), ann);
    assert.equal((await desk.look(queue)).admitted, 1);
    const bob = await desk.enterFor(queue, { person: "bob" }, "k", desk.operatorKey);
    assert.equal(bob.status, 201, "operators and services have separate keys");
  });

  test("[ID1] entering with a key returns the first response, whatever has become of the place", async () => {
    const { queue, insider } = await desk.fullQueue();
    const ahead = await desk.entered(queue, "ahead");
    const ann = await desk.enter(queue, "ann", { key: "enter" });
    assert.equal(ann.body.data.position.position, 2);
    await desk.cancel(ahead.id, "ahead");
    assertReplayed(await desk.enter(queue, "ann", { key: "enter" }), ann, "moved up");
    await desk.complete(insider.id, tokenOf("insider"));
    assertReplayed(await desk.enter(queue, "ann", { key: "enter" }), ann, "admitted");
    await desk.cancel(ann.body.data.position.id, "ann");
    assertReplayed(await desk.enter(queue, "ann", { key: "enter" }), ann, "gone");
    assert.equal((await desk.look(queue)).waiting, 0);
  });

  test("[ID1] invalid keys are refused by name, on every route that accepts one", async () => {
    const queue = await desk.newQueue();
    const ann = await desk.entered(queue, "ann");
    const entries = await desk.entries();
    const key = "k".repeat(256);
    for (const answer of [
      await desk.create({}, key),
      await desk.change(queue, { rate: 1 }, key),
      await desk.pause(queue, key),
      await desk.resume(queue, key),
      await desk.enter(queue, "bob", { key }),
      await desk.cancel(ann.id, "ann", key),
      await desk.claim(ann.token, "ann", { key }),
      await desk.complete(ann.id, tokenOf("ann"), key),
      await desk.terminate(ann.id, tokenOf("ann"), key),
    ])
      assertInvalid(answer, "idempotency-key");
    assert.equal(await desk.entries(), entries);
  });
});
