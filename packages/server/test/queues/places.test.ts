import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { assertInvalid, assertRefused, Client, type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";
import { Desk } from "./desk.ts";

suite("places in a line", () => {
  let server: TestServer;
  let desk: Desk;

  before(async () => {
    server = await startServer([...issuerFlags, "--trust-proxy"]);
    desk = new Desk(server);
  });
  after(() => server.stop());

  const from = (address: string, userAgent?: string) => ({
    headers: {
      "x-forwarded-for": address,
      ...(userAgent !== undefined && { "user-agent": userAgent }),
    },
  });

  test("[LS5] [RM3] a returning person finds the same place: over another connection, with another token, after a restart", async () => {
    const { queue } = await desk.fullQueue();
    await desk.entered(queue, "ahead");
    const ann = await desk.entered(queue, "ann");
    const assertSame = async (client: Client, token: string) => {
      const again = await client.post(`/api/v1/queues/${queue}/positions`, { token });
      assert.equal(again.status, 200, again.text);
      assert.deepEqual(again.body.data.position, ann);
      assert.equal(again.body.message, "1 person is ahead of you.");
    };
    await assertSame(desk.client, tokenOf("ann"));
    assert.equal((await desk.enterFor(queue, { person: "ann" })).status, 200, "or entered by a service");
    const other = new Client(server.url);
    await assertSame(other, tokenOf("ann", { name: "Ann", jti: "another device" }));
    other.close();
    server = await server.restart();
    desk = new Desk(server);
    await assertSame(desk.client, tokenOf("ann"));
    assert.deepEqual(await desk.shown(ann.id, "ann"), ann);
    assert.deepEqual((await desk.heartbeat(ann.id, "ann")).body.data.position, ann);
    assert.equal((await desk.look(queue)).waiting, 2);
  });

  test("[LS5] a person who returns when they are admitted or active is told so", async () => {
    const queue = await desk.newQueue();
    const ann = await desk.entered(queue, "ann");
    const again = await desk.enter(queue, "ann");
    assert.deepEqual([again.status, again.body.data.position.status], [200, "ADMITTED"]);
    assert.equal(again.body.data.position.token, ann.token, "the same token, so that either can be claimed");
    const session = await desk.claimed(again.body.data.position.token, "ann");
    const inside = await desk.enter(queue, "ann");
    assert.deepEqual([inside.status, inside.body.data.position.status], [200, "ACTIVE"]);
    assert.equal(inside.body.data.position.token, undefined);
    server = await server.restart();
    desk = new Desk(server);
    const found = await desk.claim(ann.token, "ann");
    assert.deepEqual([found.status, found.body.data.session], [200, session], "[AD7] the same session");
  });

  test("[LN8] a full line: 503 with Retry-After, and people in it keep their places", async () => {
    const { queue } = await desk.fullQueue({ maxWaiting: 3 });
    const places: Json[] = [];
    for (const index of range(3)) places.push(await desk.entered(queue, `p${index}`));
    const before = await desk.look(queue);
    const entries = await desk.entries();
    for (const person of ["ann", "bob"]) {
      const refused = await desk.enter(queue, person);
      assertRefused(refused, 503, "line.full");
      assert.equal(refused.headers["retry-after"], "30");
      assert.equal(refused.body.retryable, true);
    }
    const premium = await desk.enter(queue, "cleo", { token: tokenOf("cleo", { openseat_lane: 3 }) });
    assertRefused(premium, 503, "line.full", "premium");
    assert.deepEqual(await desk.look(queue), before);
    assert.equal(await desk.entries(), entries);
    for (const [index, place] of places.entries())
      assert.deepEqual(await desk.shown(place.id, `p${index}`), { ...place, length: 3 });
    assert.equal((await desk.enter(queue, "p0")).status, 200, "people in the line find their place");
    await desk.cancel(places[1].id, "p1");
    assert.equal((await desk.entered(queue, "ann")).position, 3);
  });

  test("[LN10] metadata is stored with the place and shown to its person and to operators, nested and in any script", async () => {
    const { queue } = await desk.fullQueue();
    const metadata = {
      name: "Zoë 🎟️ 李",
      list: [1, null, { deep: { deeper: ["true", true] } }],
      "": "",
      constructorName: 1e21,
      half: "\ud800",
    };
    const ann = await desk.entered(queue, "ann", { body: { metadata } });
    assert.equal("metadata" in ann, false, "answers about positions stay small");
    for (const token of [tokenOf("ann"), desk.operatorKey, desk.serviceKey]) {
      const { details } = (await desk.details(ann.id, token)).body.data;
      assert.deepEqual(details.metadata, metadata);
    }
    const bob = await desk.entered(queue, "bob");
    assert.deepEqual((await desk.details(bob.id, tokenOf("bob"))).body.data.details, {
      id: bob.id,
      queue,
      lane: 0,
      enteredAt: bob.enteredAt,
      metadata: null,
    });
    assertRefused(await desk.details(ann.id, tokenOf("bob")), 404, "place.not-found");
    await desk.cancel(ann.id, "ann");
    assert.deepEqual((await desk.details(ann.id, tokenOf("ann"))).body.data.details.metadata, metadata);
    server = await server.restart();
    desk = new Desk(server);
    assert.deepEqual((await desk.details(ann.id, tokenOf("ann"))).body.data.details.metadata, metadata);
  });

  test("[LN10] metadata may have 1,024 bytes as JSON, in any script", async () => {
    const { queue } = await desk.fullQueue();
    const sized = (bytes: number, letter: string) => {
      const overhead = Buffer.byteLength('{"a":""}');
      return { a: letter.repeat((bytes - overhead) / Buffer.byteLength(letter)) };
    };
    const entries = await desk.entries();
    for (const metadata of [sized(1_025, "x"), sized(1_028, "🎟"), "text", null, [1]])
      assertInvalid(await desk.enter(queue, "ann", { body: { metadata } }), "metadata", String(metadata));
    assert.equal(await desk.entries(), entries);
    const full: [string, Json][] = [
      ["a", sized(1_024, "x")],
      ["c", sized(1_024, "🎟")],
      ["d", {}],
    ];
    for (const [person, metadata] of full) {
      const { id } = await desk.entered(queue, person, { body: { metadata } });
      assert.deepEqual((await desk.details(id, tokenOf(person))).body.data.details.metadata, metadata);
    }
  });

  test("[LN10] the hashed address and the user agent are shown only to operators", async () => {
    const { queue } = await desk.fullQueue();
    const ann = await desk.entered(queue, "ann", from("203.0.113.7", `Browser/1 (${"x".repeat(400)})`));
    const bob = await desk.entered(queue, "bob", from("203.0.113.7"));
    const cleo = await desk.entered(queue, "cleo", from("2001:db8::1", "Browser/2"));
    const seen = await Promise.all(
      [ann, bob, cleo].map(async ({ id }) => (await desk.details(id, desk.operatorKey)).body.data.details),
    );
    assert.equal(seen[0].userAgent, `Browser/1 (${"x".repeat(400)})`.slice(0, 256));
    assert.equal(seen[1].userAgent, undefined);
    assert.equal(seen[2].userAgent, "Browser/2");
    for (const { address } of seen) assert.match(address, /^[A-Za-z0-9_-]{16}$/);
    assert.equal(seen[0].address, seen[1].address);
    assert.notEqual(seen[0].address, seen[2].address);
    for (const token of [tokenOf("ann"), desk.serviceKey]) {
      const { details } = (await desk.details(ann.id, token)).body.data;
      assert.deepEqual(Object.keys(details).sort(), ["enteredAt", "id", "lane", "metadata", "queue"]);
    }
    const service = (await desk.enterFor(queue, { person: "dan" })).body.data.position;
    const { details } = (await desk.details(service.id, desk.operatorKey)).body.data;
    assert.deepEqual(
      [details.address, details.userAgent],
      [undefined, undefined],
      "a service's address is not stored",
    );
  });

  test("[LN10] live places of an address are limited only in queues that set a limit", async () => {
    const { queue } = await desk.fullQueue({ maxPerAddress: 2, maxActive: 2 });
    const home = from("198.51.100.1");
    const ann = await desk.entered(queue, "ann", home);
    await desk.entered(queue, "bob", home);
    const entries = await desk.entries();
    const refused = await desk.enter(queue, "cleo", home);
    assertRefused(refused, 429, "limit.address");
    assert.equal(refused.headers["retry-after"], "30");
    assert.equal(await desk.entries(), entries);
    assert.equal((await desk.enter(queue, "ann", home)).status, 200, "the person's own place counts once");
    assert.equal((await desk.entered(queue, "dan", from("198.51.100.2"))).status, "WAITING");
    for (const person of ["e", "f", "g"])
      assert.equal((await desk.enterFor(queue, { person })).status, 201, "a service may enter anyone");
    server = await server.restart();
    desk = new Desk(server);
    assertRefused(await desk.enter(queue, "cleo", home), 429, "limit.address", "after a restart");
    await desk.cancel(ann.id, "ann");
    assert.equal((await desk.enter(queue, "cleo", home)).status, 201);
    const { queue: open } = await desk.fullQueue();
    for (const index of range(20)) await desk.entered(open, `p${index}`, home);
  });

  test("[AU3] ids cannot be guessed, forged, or used elsewhere: each is not found", async () => {
    const { queue, insider } = await desk.fullQueue();
    const ann = await desk.entered(queue, "ann");
    const [name, ticket, proof] = /^(.+)-([0-9a-z]+)-(.{16})$/.exec(ann.id)!.slice(1);
    const other = await startServer();
    const elsewhere = new Desk(other);
    const foreign = await elsewhere.fullQueue({ id: queue });
    const far = await elsewhere.entered(foreign.queue, "ann");
    await other.stop();
    const changed = proof.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    const positions = [
      `${name}-${ticket}-${changed}`,
      `${name}-1-${proof}`,
      `${name}-0${ticket}-${proof}`,
      `other-${ticket}-${proof}`,
      `${name}-${ticket}`,
      `${ann.id}A`,
      "-1-",
      insider.id,
      far.id,
    ];
    const before = await desk.look(queue);
    const entries = await desk.entries();
    for (const id of positions) {
      for (const answer of [
        await desk.position(id, "ann"),
        await desk.heartbeat(id, "ann"),
        await desk.cancel(id, "ann"),
        await desk.details(id, desk.operatorKey),
      ])
        assertRefused(answer, 404, "place.not-found", id);
    }
    for (const id of [...positions.filter((it) => it !== insider.id), ann.id, foreign.insider.id]) {
      for (const answer of [
        await desk.sessionHeartbeat(id, "insider"),
        await desk.complete(id, tokenOf("insider")),
        await desk.terminate(id, desk.operatorKey),
      ])
        assertRefused(answer, 404, "place.not-found", id);
    }
    assert.deepEqual(await desk.look(queue), before);
    assert.equal(await desk.entries(), entries);
  });

  test("[AU3] another person's id, however obtained: not found, and nothing changes", async () => {
    const { queue, insider } = await desk.fullQueue();
    const ann = await desk.entered(queue, "ann");
    const entries = await desk.entries();
    for (const answer of [
      await desk.position(ann.id, "bob"),
      await desk.heartbeat(ann.id, "bob"),
      await desk.cancel(ann.id, "bob"),
      await desk.details(ann.id, tokenOf("bob")),
      await desk.sessionHeartbeat(insider.id, "bob"),
      await desk.complete(insider.id, tokenOf("bob")),
      await desk.terminate(insider.id, tokenOf("bob")),
    ])
      assertRefused(answer, 404, "place.not-found");
    assert.equal(await desk.entries(), entries);
    assert.equal((await desk.shown(ann.id, "ann")).position, 1);
  });
});
