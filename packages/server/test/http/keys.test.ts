import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Answer, assertInvalid, assertRefused, type Json, range, sayRaw } from "../support/http.ts";
import { serverOfSuite } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";

function assertReplayed(again: Answer, first: Answer): void {
  assert.equal(first.headers["idempotent-replayed"], undefined);
  assert.equal(again.headers["idempotent-replayed"], "true");
  assert.deepEqual([again.status, again.text], [first.status, first.text]);
}

suite("idempotency keys over HTTP", () => {
  const { server, client } = serverOfSuite();

  const create = (body: Json, key: string, person = "creator") =>
    client.post("/api/v1/games", { token: tokenOf(person), key, body });

  test("[ID1] creating a game with the same key again returns the same game, also if it has changed since", async () => {
    const body = { title: "Once", maxPlayers: 3, waitlist: true };
    const first = await create(body, "make once");
    await client.join(first.body.data.game.id, "ann");
    assertReplayed(await create(body, "make once"), first);
    assertReplayed(await create({ ...body, title: " Once " }, "make once"), first);
    const page = await client.get("/api/v1/games?limit=500");
    assert.equal(page.body.data.games.filter(({ title }: Json) => title === "Once").length, 1);
  });

  test("[ID2] the same key for another game: 422, and no game is created", async () => {
    const body = { title: "First", maxPlayers: 3 };
    const first = await create(body, "another body");
    const endTime = new Date(Date.now() + 60_000).toISOString();
    const others = [{ title: "Other" }, { maxPlayers: 4 }, { waitlist: true }, { endTime }];
    const before = await client.get("/api/v1/games?limit=500");
    for (const other of others)
      assertRefused(await create({ ...body, ...other }, "another body"), 422, "key.reused");
    assert.equal((await client.get("/api/v1/games?limit=500")).text, before.text);
    assertReplayed(await create(body, "another body"), first);
  });

  test("[ID1] [AU3] a key belongs to its person: another person's same key is another request", async () => {
    const body = { title: "Mine", maxPlayers: 3 };
    const mine = await create(body, "shared", "ann");
    const theirs = await create(body, "shared", "bob");
    assert.equal(theirs.status, 201);
    assert.notEqual(theirs.body.data.game.id, mine.body.data.game.id);
    const { id } = mine.body.data.game;
    assert.equal((await client.join(id, "ann", "k")).body.data.participant.userId, "ann");
    assert.equal((await client.join(id, "bob", "k")).body.data.participant.userId, "bob");
  });

  test("[ID1] leaving and ending with the same key again return the first response, whatever happened since", async () => {
    const game = await client.newGame();
    await client.join(game, "ann", "join 1");
    const left = await client.leave(game, "ann", "leave 1");
    await client.join(game, "bob");
    assertReplayed(await client.leave(game, "ann", "leave 1"), left);
    const rejoined = await client.join(game, "ann", "join 2");
    assertReplayed(await client.leave(game, "ann", "leave 1"), left);
    assert.equal((await client.canJoin(game, "ann")).isParticipant, true);
    const ended = await client.end(game, "creator", "end 1");
    assertReplayed(await client.end(game, "creator", "end 1"), ended);
    assertReplayed(await client.join(game, "ann", "join 2"), rejoined);
  });

  test("[ID4] a refusal is not remembered: the same key is decided again", async () => {
    const game = await client.newGame({ maxPlayers: 1 });
    await client.join(game, "ann");
    assertRefused(await client.join(game, "bob", "again"), 400, "room.full");
    assertRefused(await client.join(game, "bob", "again"), 400, "room.full");
    await client.leave(game, "ann");
    const joined = await client.join(game, "bob", "again");
    assert.equal(joined.status, 200);
    assert.equal(joined.headers["idempotent-replayed"], undefined);
    assertReplayed(await client.join(game, "bob", "again"), joined);
  });

  test("[ID5] without keys, twenty joins and twenty leaves at once count once each", async () => {
    const game = await client.newGame();
    const joins = await Promise.all(range(20).map(() => client.join(game, "ann")));
    assert.equal(joins.filter(({ status }) => status === 200).length, 1);
    for (const refused of joins.filter(({ status }) => status !== 200))
      assertRefused(refused, 400, "place.exists");
    const leaves = await Promise.all(range(20).map(() => client.leave(game, "ann")));
    assert.equal(leaves.filter(({ status }) => status === 200).length, 1);
    for (const refused of leaves.filter(({ status }) => status !== 200))
      assertRefused(refused, 400, "place.missing");
    assert.equal((await client.participants(game)).length, 1);
  });

  test("[ID1] keys have 1 to 255 printable characters", async () => {
    const game = await client.newGame({ maxPlayers: 100 });
    const good = ["k", "k".repeat(255), "a key with spaces !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"];
    for (const [index, key] of good.entries()) {
      const first = await client.join(game, `good${index}`, key);
      assert.equal(first.status, 200, first.text);
      assertReplayed(await client.join(game, `good${index}`, key), first);
    }
    for (const key of ["", "k".repeat(256), "k".repeat(4_000)])
      assertInvalid(await client.join(game, "bad", key), "idempotency-key");
    for (const path of ["", `/${game}/leave`, `/${game}/end`]) {
      const token = tokenOf("creator");
      const body = path === "" ? { title: "Never", maxPlayers: 1 } : undefined;
      const answer = await client.post(`/api/v1/games${path}`, { token, key: "k".repeat(256), body });
      assertInvalid(answer, "idempotency-key", path);
    }
    assert.equal((await client.participants(game)).length, good.length);
  });

  test("[ID1] a key with an invalid character is refused by name", async () => {
    const game = await client.newGame();
    for (const [byte, field] of [
      ["\xe9", "idempotency-key"],
      ["\t", "idempotency-key"],
      // HTTP itself forbids these: there is no request yet whose field could be named.
      ["\x7f", "request"],
      ["\x01", "request"],
    ]) {
      const request = [
        ...[
          `POST /api/v1/games/${game}/join HTTP/1.1`,
          "Host: test",
          `Authorization: Bearer ${tokenOf("ann")}`,
        ],
        ...[`Idempotency-Key: a${byte}b`, "Content-Length: 0", "Connection: close"],
      ];
      const received = await sayRaw(server.url, Buffer.from(`${request.join("\r\n")}\r\n\r\n`, "latin1"));
      assert.match(received, /^HTTP\/1\.1 400 /);
      const body = JSON.parse(received.slice(received.indexOf("\r\n\r\n") + 4));
      assert.deepEqual([body.code, body.data.field], ["input.invalid", field]);
    }
    assert.equal((await client.participants(game)).length, 0);
  });
});
