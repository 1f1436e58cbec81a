import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { assertRefused, type Json, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { clockSlackMs } from "../support/store.ts";
import { claimsOf, tokenOf } from "../support/tokens.ts";
import { Desk, isoTime } from "./desk.ts";

const defaultLanes = [
  { name: "normal", skips: 0, immediate: false },
  { name: "elevated", skips: 0.1, immediate: false },
  { name: "vip", skips: 0.5, immediate: false },
  { name: "premium", skips: 1, immediate: true },
];

suite("waiting rooms over HTTP", () => {
  let server: TestServer;
  let desk: Desk;

  before(async () => {
    server = await startServer();
    desk = new Desk(server);
  });
  after(() => server.stop());

  test("a new waiting room returns 201 with every field, including defaults", async () => {
    const answer = await desk.create({ title: "  The shop  ", maxActive: 100 });
    assert.equal(answer.status, 201);
    assert.equal(answer.body.success, true);
    assert.ok(answer.body.message);
    const { id, createdAt, ...rest } = answer.body.data.queue;
    assert.match(id, /^[A-Za-z0-9_-]{20}$/);
    assert.match(createdAt, isoTime);
    assert.deepEqual(rest, {
      title: "The shop",
      status: "OPEN",
      maxActive: 100,
      rate: null,
      burst: 1,
      maxWaiting: 1_000_000,
      patienceSeconds: 600,
      heartbeatTimeoutSeconds: 60,
      claimTimeoutSeconds: 120,
      sessionDurationSeconds: 600,
      sessionTimeoutSeconds: null,
      returnAddresses: [],
      maxEntersPerAddress: null,
      lanes: defaultLanes,
      maxPerAddress: null,
      waiting: 0,
      admitted: 0,
      active: 0,
    });
  });

  test("all settings of a waiting room are returned unchanged, also from the list", async () => {
    const given = {
      id: "everything_said-1",
      title: "Sale",
      maxActive: 7,
      rate: 333.333,
      burst: 5,
      maxWaiting: 50,
      patienceSeconds: 0,
      heartbeatTimeoutSeconds: 5,
      claimTimeoutSeconds: 6,
      sessionDurationSeconds: 7,
      sessionTimeoutSeconds: 8,
      returnAddresses: ["https://shop.example/sale", "/sale", "/"],
      maxEntersPerAddress: 200,
      lanes: [
        { name: "all", skips: 0 },
        { name: "staff", skips: 0.999, immediate: true },
      ],
      maxPerAddress: 3,
    };
    const made = await desk.create(given);
    assert.equal(made.status, 201, made.text);
    const { queue } = made.body.data;
    const { lanes, ...rest } = given;
    const expected = {
      ...rest,
      lanes: [{ ...lanes[0], immediate: false }, lanes[1]],
      status: "OPEN",
      waiting: 0,
      admitted: 0,
      active: 0,
      createdAt: queue.createdAt,
    };
    assert.deepEqual(queue, expected);
    assert.deepEqual(await desk.look(given.id), expected);
    const page = await desk.client.get("/api/v1/queues?limit=1");
    assert.deepEqual(page.body.data.queues, [expected]);
  });

  test("waiting rooms are listed newest first, page by page, all or by status", async () => {
    const made: string[] = [];
    for (const index of range(4)) made.push(await desk.newQueue({ id: `listed-${index}` }));
    await desk.pause(made[0]);
    const page = async (query: string) => (await desk.client.get(`/api/v1/queues?${query}`)).body.data;
    const idsOf = ({ queues }: Json) => queues.map(({ id }: Json) => id);
    const first = await page("limit=2");
    const second = await page(`limit=2&cursor=${first.nextCursor}`);
    assert.deepEqual([...idsOf(first), ...idsOf(second)], made.toReversed());
    assert.deepEqual(idsOf(await page("status=PAUSED")), [made[0]]);
    assert.deepEqual(idsOf(await page("status=OPEN&limit=3")), made.slice(1).toReversed());
  });

  test("an id in use: 409, and the waiting room is unchanged", async () => {
    const id = await desk.newQueue({ id: "taken", title: "First" });
    assertRefused(await desk.create({ id, title: "Second" }), 409, "room.exists");
    assert.equal((await desk.look(id)).title, "First");
  });

  test("an unknown waiting room: 404 on every route", async () => {
    const about = "/api/v1/queues/nowhere";
    const token = desk.operatorKey;
    assertRefused(await desk.client.get(about), 404, "room.not-found");
    assertRefused(await desk.client.get(`${about}/stats`), 404, "room.not-found");
    assertRefused(await desk.change("nowhere", { rate: 1 }), 404, "room.not-found");
    for (const word of ["pause", "resume"])
      assertRefused(await desk.client.post(`${about}/${word}`, { token }), 404, "room.not-found");
    assertRefused(await desk.enter("nowhere", "ann"), 404, "room.not-found");
    const named = { token: tokenOf("ann", { openseat_lane: "vip" }) };
    assertRefused(await desk.enter("nowhere", "ann", named), 404, "room.not-found");
  });

  test("[AD4] [AD6] [AD7] [AD8] a visit from entering to its end, response by response", async () => {
    const { queue, insider } = await desk.fullQueue({ sessionTimeoutSeconds: 60 });
    const started = Date.now();

    const entered = await desk.enter(queue, "ann");
    assert.equal(entered.status, 201);
    const { id, enteredAt, askAgainSeconds, ...waiting } = entered.body.data.position;
    assert.match(enteredAt, isoTime);
    assert.ok(Date.parse(enteredAt) >= started - clockSlackMs && Date.parse(enteredAt) <= Date.now());
    assert.ok(askAgainSeconds > 0 && askAgainSeconds <= 24, `ask again in ${askAgainSeconds} s`);
    const expected = {
      queue,
      status: "WAITING",
      lane: 0,
      position: 1,
      length: 1,
      estimate: { lowSeconds: 0, highSeconds: 600 },
      away: false,
      moved: 1,
    };
    assert.deepEqual(waiting, expected);
    assert.equal(entered.body.message, "You are next.");
    assert.equal((await desk.enter(queue, "bob")).body.message, "1 person is ahead of you.");
    assert.equal((await desk.enter(queue, "cleo")).body.message, "2 people are ahead of you.");

    const place = { id, enteredAt, askAgainSeconds, ...expected, length: 3 };
    assert.deepEqual(await desk.shown(id, "ann"), place);
    const answer = await desk.heartbeat(id, "ann");
    assert.deepEqual([answer.status, answer.body.data.position], [200, place]);

    await desk.complete(insider.id, tokenOf("insider"));
    const admitted = await desk.position(id, "ann");
    assert.equal(admitted.body.message, "It is your turn.");
    const { token, claimBy, ...turn } = admitted.body.data.position;
    assert.match(claimBy, isoTime);
    assert.deepEqual(
      { ...turn, askAgainSeconds },
      { ...place, status: "ADMITTED", position: 0, length: 2, estimate: null, moved: 2 },
    );
    const claims = claimsOf(token);
    assert.deepEqual([claims.aud, claims.sub, claims.use, claims.place], [queue, "ann", "admission", 2]);

    const claimed = await desk.claim(token, "ann", { queue });
    assert.equal(claimed.status, 201);
    const { id: sessionId, token: proof, endsAt, endTime, ...session } = claimed.body.data.session;
    assert.deepEqual(session, { queue, status: "ACTIVE" });
    assert.match(endsAt, isoTime);
    assert.equal(endTime, endsAt);
    assert.notEqual(sessionId, id);
    const { sid, sub, use, exp } = claimsOf(proof);
    assert.deepEqual(
      [sid, sub, use, exp],
      [sessionId, "ann", "session", Math.ceil(Date.parse(endsAt) / 1000)],
    );
    assert.deepEqual((await desk.sessionHeartbeat(sessionId, "ann")).body.data, claimed.body.data);
    assert.equal((await desk.position(id, "ann")).body.data.position.status, "ACTIVE");
    assert.equal((await desk.position(id, "ann")).body.message, "You are in.");

    const completed = await desk.complete(sessionId, tokenOf("ann"));
    assert.deepEqual(
      [completed.status, completed.body.data],
      [200, { session: { id: sessionId, queue, status: "COMPLETED" } }],
    );
    assert.equal((await desk.shown(id, "ann")).status, "COMPLETED");
    const { waiting: people, admitted: next, active } = await desk.look(queue);
    assert.deepEqual([people, next, active], [1, 1, 0]);
  });

  test("[LN7] cancelling returns the final state of the place, and everyone behind moves up at once", async () => {
    const { queue } = await desk.fullQueue();
    const places: Json[] = [];
    for (const person of ["ann", "bob", "cleo"]) places.push(await desk.entered(queue, person));
    const cancelled = await desk.cancel(places[0].id, "ann");
    assert.equal(cancelled.status, 200);
    const { leftAt, ...left } = cancelled.body.data.position;
    assert.match(leftAt, isoTime);
    assert.deepEqual(left, { id: places[0].id, queue, status: "LEFT", reason: "cancelled", endedAt: leftAt });
    assert.equal((await desk.shown(places[1].id, "bob")).position, 1);
    assert.equal((await desk.shown(places[2].id, "cleo")).position, 2);
    const over = await desk.shown(places[0].id, "ann");
    assert.deepEqual([over.status, over.position, over.estimate], ["LEFT", 0, null]);
    assert.deepEqual([over.reason, over.endedAt], ["cancelled", leftAt], "[RM5]");
    assertRefused(await desk.cancel(places[0].id, "ann"), 410, "place.over");
    assertRefused(await desk.heartbeat(places[0].id, "ann"), 410, "place.over");
    const back = await desk.entered(queue, "ann");
    assert.notEqual(back.id, places[0].id);
    assert.equal(back.position, 3);
  });

  test("[AD8] a session ends when the person leaves, or when a service or an operator ends it; its seat goes to the next person", async () => {
    for (const [who, status] of [
      ["person", "LEFT"],
      ["service", "EXPIRED"],
      ["operator", "EXPIRED"],
    ] as const) {
      const { queue, insider } = await desk.fullQueue();
      const next = await desk.entered(queue, "ann");
      const token = { person: tokenOf("insider"), service: desk.serviceKey, operator: desk.operatorKey }[who];
      const ended = await desk.terminate(insider.id, token);
      assert.deepEqual(
        [ended.status, ended.body.data.session],
        [200, { id: insider.id, queue, status }],
        who,
      );
      assert.equal((await desk.shown(next.id, "ann")).status, "ADMITTED", who);
      for (const again of [
        await desk.terminate(insider.id, token),
        await desk.complete(insider.id, token),
        await desk.sessionHeartbeat(insider.id, "insider"),
      ])
        assertRefused(again, 410, "place.over", who);
    }
  });

  test("[AU3] services and operators complete for anyone; they see and cancel any place", async () => {
    const { queue, insider } = await desk.fullQueue();
    const ann = await desk.entered(queue, "ann");
    for (const token of [desk.serviceKey, desk.operatorKey]) {
      const seen = await desk.client.get(`/api/v1/positions/${ann.id}`, { token });
      assert.equal(seen.body.data.position.position, 1);
    }
    const bob = await desk.entered(queue, "bob");
    const path = `/api/v1/positions/${bob.id}`;
    assert.equal((await desk.client.call(path, { method: "DELETE", token: desk.serviceKey })).status, 200);
    assert.equal((await desk.shown(bob.id, "bob")).status, "EXPIRED", "bob has not given up his place");
    assert.equal((await desk.complete(insider.id, desk.serviceKey)).status, 200);
    const { token } = await desk.shown(ann.id, "ann");
    const claimed = await desk.client.post("/api/v1/sessions", { token: desk.serviceKey, body: { token } });
    assert.equal(claimed.status, 201, "a service claims for any person whose token it has");
    assert.equal((await desk.sessionHeartbeat(claimed.body.data.session.id, "ann")).status, 200);
  });
});
