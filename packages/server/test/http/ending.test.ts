import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { LiveClient } from "../live/clients.ts";
import { Desk } from "../queues/desk.ts";
import { type Answer, assertRefused, type Json, until } from "../support/http.ts";
import { serverOfSuite } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";

const maker = tokenOf("maker");

suite("rooms that are ended over HTTP", () => {
  const { server, client } = serverOfSuite();

  const rooms = {
    game: { path: "/api/v1/games", body: { title: "G", maxPlayers: 2 }, ended: "room.ended" },
    arena: { path: "/api/v1/arenas", body: { title: "A", game: "tic-tac-toe" }, ended: "room.ended" },
    ladder: { path: "/api/v1/ladders", body: { title: "L" }, ended: "ladder.ended" },
  } as const;

  async function made(kind: keyof typeof rooms, token = maker): Promise<string> {
    const { path, body } = rooms[kind];
    const answer = await client.post(path, { token, body });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.data[kind].id;
  }

  const statusOf = ({ body }: Answer, kind: string) =>
    body.data.state?.status ?? (body.data[kind] as Json).status;

  for (const [kind, { path, ended }] of Object.entries(rooms) as [
    keyof typeof rooms,
    (typeof rooms)["game"],
  ][]) {
    test(`[RM8] the maker of ${kind === "arena" ? "an" : "a"} ${kind} ends it for good; only operators may do so too`, async () => {
      const id = await made(kind);
      assertRefused(await client.post(`${path}/${id}/end`, { token: tokenOf("ann") }), 403, "auth.forbidden");
      assertRefused(
        await client.post(`${path}/${id}/end`, { token: server.serviceKey }),
        403,
        "auth.forbidden",
      );
      const first = await client.post(`${path}/${id}/end`, { token: maker, key: "end-1" });
      assert.equal(first.status, 200, first.text);
      assert.equal(first.body.data[kind].id, id);
      const look = await client.get(`${path}/${id}`);
      assert.deepEqual([look.status, statusOf(look, kind)], [200, "ENDED"]);
      assertRefused(await client.post(`${path}/${id}/join`, { token: tokenOf("ann") }), 400, ended);
      assertRefused(await client.post(`${path}/${id}/end`, { token: maker }), 400, ended, "a second time");
      const again = await client.post(`${path}/${id}/end`, { token: maker, key: "end-1" });
      assert.deepEqual([again.status, again.body], [200, first.body], "the same key");
      const other = await made(kind);
      const byOperator = await client.post(`${path}/${other}/end`, { token: server.operatorKey });
      assert.equal(byOperator.status, 200, byOperator.text);
      assertRefused(
        await client.post(`${path}/nowhere/end`, { token: maker }),
        404,
        ended.replace("ended", "not-found"),
      );
    });

    test(`[RM8] an ended ${kind} is listed only by its status`, async () => {
      const id = await made(kind);
      const other = await made(kind);
      await client.post(`${path}/${id}/end`, { token: maker });
      const ids = async (query: string) =>
        (await client.get(`${path}?limit=500${query}`)).body.data[`${kind}s`].map((room: Json) => room.id);
      const live: string[] = await ids("");
      assert.ok(live.includes(other) && !live.includes(id));
      const over: string[] = await ids("&status=ENDED");
      assert.ok(over.includes(id) && !over.includes(other));
    });
  }

  test("[RM8] the id of an ended room is not used again", async () => {
    for (const [kind, code] of [
      ["arena", "room.exists"],
      ["ladder", "ladder.exists"],
    ] as const) {
      const { path, body } = rooms[kind];
      const create = () => client.post(path, { token: server.operatorKey, body: { ...body, id: "once" } });
      assert.equal((await create()).status, 201);
      assert.equal((await client.post(`${path}/once/end`, { token: server.operatorKey })).status, 200);
      assertRefused(await create(), 409, code);
    }
  });

  test("[RM8] people in an arena that ends lose their places, and watchers see it", async () => {
    const id = await made("arena");
    for (const person of ["ann", "bob", "cat"])
      await client.post(`/api/v1/arenas/${id}/join`, { token: tokenOf(person) });
    const live = await LiveClient.open(server.url, { token: tokenOf("cat") });
    await live.ask({ type: "watch", arena: id });
    await until("the view", () => live.received.find(({ type }) => type === "view"));
    assert.equal((await client.post(`/api/v1/arenas/${id}/end`, { token: maker })).status, 200);
    // With the change or, for a watcher still catching up, in a view after it.
    const { state } = await until("the end", () => live.received.find((it) => it.state?.status === "ENDED"));
    const change = live.received.find(({ type }) => type === "change")!;
    live.close();
    assert.deepEqual(
      change.changes.map(({ type, reason, result }: Json) => [type, reason ?? result.reason, result?.winner]),
      [
        ["match-ended", "arena-ended", null],
        ["arena-ended", "ended_by_hand", undefined],
      ],
    );
    assert.deepEqual([state.players, state.waiting, state.you], [[], 0, null]);
    const { matches } = (await client.get(`/api/v1/arenas/${id}/matches`)).body.data;
    assert.equal(matches.length, 1);
    assert.equal((await client.get(`/api/v1/arenas/${id}/matches/${matches[0].id}`)).status, 200);
  });

  test("[RM8] [AR12] each tier of an arena ends separately; none can be created on an ended ladder", async () => {
    const ladder = await made("ladder");
    const tiers = [
      { name: "Novices", from: 0 },
      { name: "Masters", from: 1_200 },
    ];
    const body = { title: "T", game: "tic-tac-toe", ladder, tiers };
    const { id } = (await client.post("/api/v1/arenas", { token: maker, body })).body.data.arena;
    assert.equal((await client.post(`/api/v1/arenas/${id}/end`, { token: maker })).status, 200);
    const other = id.replace(/1$/, "2");
    const look = async (arena: string) =>
      (await client.get(`/api/v1/arenas/${arena}`)).body.data.state.status;
    assert.deepEqual([await look(id), await look(other)], ["ENDED", "WAITING"]);
    assert.equal((await client.post(`/api/v1/ladders/${ladder}/end`, { token: maker })).status, 200);
    assertRefused(await client.post("/api/v1/arenas", { token: maker, body }), 400, "ladder.ended");
  });

  test("[RM8] an operator ends a waiting room: its people are notified at once, and nobody can enter any more", async () => {
    const desk = new Desk(server);
    const { queue, insider } = await desk.fullQueue();
    const ann = await desk.entered(queue, "ann");
    const live = await LiveClient.open(server.url, { token: tokenOf("ann") });
    assert.equal((await live.ask({ type: "attend", position: ann.id })).status, 200);
    const end = () => client.post(`/api/v1/queues/${queue}/end`, { token: server.operatorKey });
    assertRefused(
      await client.post(`/api/v1/queues/${queue}/end`, { token: tokenOf("ann") }),
      403,
      "auth.forbidden",
    );
    const answer = await end();
    assert.equal(answer.status, 200, answer.text);
    const { status, waiting, active } = answer.body.data.queue;
    assert.deepEqual([status, waiting, active], ["ENDED", 0, 0]);
    await until("the word that the place is over", () =>
      live.received.find(({ type, position }) => type === "position" && position.status === "EXPIRED"),
    );
    live.close();
    const heartbeat = await desk.heartbeat(ann.id, "ann");
    assertRefused(heartbeat, 410, "place.over");
    assert.equal(heartbeat.body.message, "This waiting room has ended.");
    assertRefused(await desk.sessionHeartbeat(insider.id, "insider"), 410, "place.over");
    assertRefused(await desk.enter(queue, "bob"), 400, "room.ended");
    assertRefused(await desk.change(queue, { rate: 5 }), 400, "room.ended");
    assertRefused(await desk.pause(queue), 400, "room.ended");
    assertRefused(await end(), 400, "room.ended");
    const listed = async (query: string) =>
      (await client.get(`/api/v1/queues?limit=500${query}`)).body.data.queues.map(({ id }: Json) => id);
    assert.equal((await listed("")).includes(queue), false);
    assert.equal((await listed("&status=ENDED")).includes(queue), true);
  });

  test("[RM8] a person who returns to the page of an ended waiting room reads that it has ended", async () => {
    const desk = new Desk(server);
    const queue = await desk.newQueue();
    const first = await fetch(`${server.url}/wait/${queue}`, { redirect: "manual" });
    const cookies = first.headers.getSetCookie().map((text) => text.split(";")[0]);
    await client.post(`/api/v1/queues/${queue}/end`, { token: server.operatorKey });
    const again = await fetch(`${server.url}/wait/${queue}`, { headers: { cookie: cookies.join("; ") } });
    assert.match(await again.text(), /waiting room has closed/i);
  });
});
