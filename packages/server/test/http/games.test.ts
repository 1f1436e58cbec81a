import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { friendlyName } from "@openseat/protocol/friendly-names";
import { EventClient } from "../live/clients.ts";
import { assertInvalid, assertRefused, type Json, range } from "../support/http.ts";
import { serverOfSuite, startServer } from "../support/server.ts";
import { skewedClock } from "../support/skewed-clock.ts";
import { clockSlackMs } from "../support/store.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";

const hourMs = 3_600_000;

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

suite("games over HTTP", () => {
  const { server, client } = serverOfSuite();

  async function fullGame(seats: number, fields: Record<string, unknown> = {}): Promise<string> {
    const game = await client.newGame({ maxPlayers: seats, ...fields });
    for (const index of range(seats)) assert.equal((await client.join(game, `p${index}`)).status, 200);
    return game;
  }

  test("[GM1] a new game returns 201 with every field, and its title trimmed", async () => {
    const endTime = new Date(Date.now() + 3_600_000).toISOString();
    const body = { title: "  Friday night  ", maxPlayers: 50, endTime, waitlist: true };
    const answer = await client.post("/api/v1/games", { token: tokenOf("creator"), body });
    assert.equal(answer.status, 201);
    assert.equal(answer.body.success, true);
    const { id, createdAt, ...rest } = answer.body.data.game;
    assert.match(id, /^[A-Za-z0-9_-]{20}$/);
    assert.match(createdAt, isoTime);
    assert.deepEqual(rest, {
      title: "Friday night",
      status: "OPEN",
      currentPlayers: 0,
      maxPlayers: 50,
      availableSlots: 50,
      waitlist: true,
      waiting: 0,
      endTime,
      heartbeatTimeoutSeconds: null,
      createdBy: "creator",
    });
  });

  test("[GM1] joining takes a seat and returns the game and the participant, field by field", async () => {
    const game = await client.newGame({ title: "Chess", maxPlayers: 3 });
    await client.join(game, "ann");
    const started = Date.now();
    const answer = await client.join(game, "bob");
    assert.equal(answer.status, 200);
    assert.equal(answer.body.success, true);
    assert.ok(answer.body.message);
    const { createdAt, ...shown } = answer.body.data.game;
    assert.match(createdAt, isoTime);
    assert.deepEqual(shown, {
      id: game,
      title: "Chess",
      status: "OPEN",
      currentPlayers: 2,
      maxPlayers: 3,
      availableSlots: 1,
      waitlist: false,
      waiting: 0,
      endTime: null,
      heartbeatTimeoutSeconds: null,
      createdBy: "creator",
      yourPosition: 2,
    });
    const { id, joinedAt, ...participant } = answer.body.data.participant;
    assert.ok(id);
    assert.match(joinedAt, isoTime);
    assert.ok(Date.parse(joinedAt) >= started - clockSlackMs && Date.parse(joinedAt) <= Date.now());
    assert.deepEqual(participant, { userId: "bob", name: friendlyName("bob"), status: "ACTIVE" });
    const { game: seen } = await client.look(game);
    const { yourPosition: _, ...expected } = answer.body.data.game;
    assert.deepEqual(seen, expected);
  });

  test("[GM2] an unknown game: 404 on every route", async () => {
    const token = tokenOf("ann");
    for (const path of ["join", "leave", "end"])
      assertRefused(
        await client.post(`/api/v1/games/nowhere/${path}`, { token }),
        404,
        "room.not-found",
        path,
      );
    for (const path of ["", "/participants", "/events"])
      assertRefused(await client.get(`/api/v1/games/nowhere${path}`, { token }), 404, "room.not-found", path);
  });

  test("[GM2] an ended game, a repeated join and a full game are refused, with details", async () => {
    const ended = await fullGame(1);
    await client.end(ended);
    for (const person of ["p0", "someone"])
      assertRefused(await client.join(ended, person), 400, "room.ended");
    const game = await client.newGame({ maxPlayers: 1 });
    const { joinedAt } = (await client.join(game, "ann")).body.data.participant;
    const again = await client.join(game, "ann");
    assertRefused(again, 400, "place.exists");
    assert.deepEqual(again.body.data, { joinedAt });
    const late = await client.join(game, "late");
    assertRefused(late, 400, "room.full");
    assert.deepEqual(late.body.data, { currentPlayers: 1, maxPlayers: 1, availableSlots: 0 });
  });

  test("[GM3] the last seat makes the game FULL, in the same response and version; a leave makes it OPEN", async () => {
    const game = await client.newGame({ maxPlayers: 2 });
    await client.join(game, "ann");
    const { version } = await client.look(game);
    const last = await client.join(game, "bob");
    assert.equal(last.body.data.game.status, "FULL");
    assert.equal(last.body.data.game.availableSlots, 0);
    assert.deepEqual(
      [(await client.look(game)).version, (await client.look(game)).game.status],
      [version + 1, "FULL"],
    );
    const left = await client.leave(game, "ann");
    assert.equal(left.status, 200);
    assert.equal(left.body.data.game.status, "OPEN");
    assert.equal(left.body.data.game.currentPlayers, 1);
    assert.equal(left.body.data.game.availableSlots, 1);
    assert.equal((await client.look(game)).version, version + 2);
  });

  test("[GM4] leaving keeps the participant as LEFT with the time; joining again creates a new one", async () => {
    const game = await client.newGame();
    const first = await client.join(game, "ann");
    assert.equal((await client.leave(game, "ann")).status, 200);
    const second = await client.join(game, "ann");
    assert.notEqual(second.body.data.participant.id, first.body.data.participant.id);
    const [old, now, ...none] = await client.participants(game);
    assert.deepEqual(none, []);
    assert.deepEqual(
      [old.id, old.userId, old.status, old.joinedAt],
      [first.body.data.participant.id, "ann", "LEFT", first.body.data.participant.joinedAt],
    );
    assert.match(old.leftAt, isoTime);
    assert.deepEqual(now, second.body.data.participant);
  });

  test("[GM5] can-join of a full game with a line announces the wait, and the join then waits", async () => {
    const game = await fullGame(1, { waitlist: true });
    const before = await client.canJoin(game, "ann");
    assert.deepEqual([before.canJoin, before.wouldWait, before.isParticipant], [true, true, false]);
    await client.join(game, "ann");
    const waiting = await client.canJoin(game, "ann");
    assert.deepEqual(
      [waiting.canJoin, waiting.codes, waiting.wouldWait, waiting.isParticipant, waiting.isWaiting],
      [false, ["place.exists"], false, false, true],
    );
    assert.equal(waiting.yourPosition, 1);
    await client.leave(game, "p0");
    const seated = await client.canJoin(game, "ann");
    assert.deepEqual([seated.isParticipant, seated.isWaiting, seated.wouldWait], [true, false, false]);
    await client.leave(game, "ann");
    assert.equal((await client.canJoin(game, "ann")).isParticipant, false);
  });

  test("[GM6] only the maker of a game and operators may end it; the end is final", async () => {
    const game = await client.newGame();
    await client.join(game, "ann");
    const { version } = await client.look(game);
    assertRefused(await client.end(game, "ann"), 403, "auth.forbidden");
    const asService = await client.post(`/api/v1/games/${game}/end`, { token: server.serviceKey });
    assertRefused(asService, 403, "auth.forbidden");
    assert.equal((await client.look(game)).version, version);
    const ended = await client.end(game);
    assert.equal(ended.status, 200);
    assert.equal(ended.body.data.game.status, "ENDED");
    assertRefused(await client.end(game), 400, "room.ended");
    assert.equal((await client.participants(game))[0].status, "COMPLETED");

    const other = await client.newGame();
    const byOperator = await client.post(`/api/v1/games/${other}/end`, { token: server.operatorKey });
    assert.equal(byOperator.body.data.game.status, "ENDED");

    const body = { title: "Made by a service", maxPlayers: 2 };
    const made = await client.post("/api/v1/games", { token: server.serviceKey, body });
    const { id } = made.body.data.game;
    assertRefused(await client.end(id, "ann"), 403, "auth.forbidden");
    const byService = await client.post(`/api/v1/games/${id}/end`, { token: server.serviceKey });
    assert.equal(byService.body.data.game.status, "ENDED");
  });

  test("[GM8] a full game with a line gives positions, and a freed seat goes to the first in line at once", async () => {
    const game = await fullGame(2, { waitlist: true });
    const first = await client.join(game, "first");
    const second = await client.join(game, "second");
    const third = await client.join(game, "third");
    assert.deepEqual(
      [first, second, third].map(({ status, body }) => [
        status,
        body.data.participant.status,
        body.data.game.yourPosition,
        body.data.game.waiting,
        body.data.game.currentPlayers,
        body.data.game.status,
      ]),
      [
        [200, "WAITING", 1, 1, 2, "FULL"],
        [200, "WAITING", 2, 2, 2, "FULL"],
        [200, "WAITING", 3, 3, 2, "FULL"],
      ],
    );
    const again = await client.join(game, "third");
    assertRefused(again, 400, "place.exists");
    assert.equal(again.body.data.yourPosition, 3);

    await client.leave(game, "second");
    assert.equal((await client.join(game, "third")).body.data.yourPosition, 2);
    const { version } = await client.look(game);
    const freed = await client.leave(game, "p0");
    assert.equal((await client.look(game)).version, version + 1);
    assert.deepEqual(
      [freed.body.data.game.status, freed.body.data.game.currentPlayers, freed.body.data.game.waiting],
      ["FULL", 2, 1],
    );
    const people = await client.participants(game);
    assert.deepEqual(
      people.map(({ userId, status }: Json) => [userId, status]),
      [
        ["p0", "LEFT"],
        ["p1", "ACTIVE"],
        ["first", "ACTIVE"],
        ["second", "LEFT"],
        ["third", "WAITING"],
      ],
    );
  });

  test("[RM1] a game has 1 to 1,000,000 seats", async () => {
    for (const maxPlayers of [0, 1, 1_000_000, 1_000_001, 1.5, -1, "5", null]) {
      const body = { title: "Bounds", maxPlayers };
      const answer = await client.post("/api/v1/games", { token: tokenOf("creator"), body });
      if (maxPlayers === 1 || maxPlayers === 1_000_000)
        assert.equal(answer.body.data.game.maxPlayers, maxPlayers);
      else assertInvalid(answer, "maxPlayers");
    }
  });

  test("[RM7] a game ends by itself at its end time: its watchers are notified without any request", async () => {
    const clock = skewedClock();
    const own = await startServer(issuerFlags, undefined, { clock });
    try {
      const endTime = new Date(Date.now() + hourMs).toISOString();
      const game = await own.client.newGame({ endTime });
      await own.client.join(game, "ann");
      const events = await EventClient.open(own.url, game);
      await events.at(2);
      clock.pass(hourMs);
      const last = await events.at(3);
      events.close();
      assert.equal(last.changes.at(-1).type, "status-changed");
      assert.equal(last.changes.at(-1).status, "ENDED");
      assert.ok(Date.parse(last.at) >= Date.parse(endTime));
      assertRefused(await own.client.join(game, "bob"), 400, "room.ended");
      assertRefused(await own.client.leave(game, "ann"), 400, "room.ended");
    } finally {
      await own.stop();
    }
  });

  test("[RM7] an end time that is not in the future is refused with the field named", async () => {
    const body = { title: "Too late", maxPlayers: 2, endTime: new Date(Date.now() - 1).toISOString() };
    const answer = await client.post("/api/v1/games", { token: tokenOf("creator"), body });
    assertRefused(answer, 400, "room.end-in-past");
    assert.equal(answer.body.data.field, "endTime");
  });

  test("participants are paged in order of arrival, including LEFT ones, each once", async () => {
    const game = await client.newGame({ maxPlayers: 25 });
    for (const index of range(25)) await client.join(game, `p${index}`);
    for (const index of range(25)) if (index % 3 === 0) await client.leave(game, `p${index}`);
    const people = await client.participants(game, 4);
    assert.deepEqual(
      people.map(({ userId, status, leftAt }) => [userId, status, leftAt !== undefined]),
      range(25).map((index) => [`p${index}`, index % 3 === 0 ? "LEFT" : "ACTIVE", index % 3 === 0]),
    );
    const beyond = await client.get(`/api/v1/games/${game}/participants?cursor=999999`);
    assert.deepEqual(beyond.body.data, { participants: [], nextCursor: null });
  });
});

suite("lists of games", () => {
  const { client } = serverOfSuite();

  test("[RM6] lists are by status, newest first, and stable while new games are created", async () => {
    const made: string[] = [];
    for (const index of range(12))
      made.unshift(await client.newGame({ title: `Game ${index}`, maxPlayers: 1 }));
    const [ended, full] = [made[2], made[5]];
    await client.end(ended);
    await client.join(full, "ann");
    const ids = async (query: string) => {
      const answer = await client.get(`/api/v1/games?${query}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data.games.map(({ id }: Json) => id);
    };
    assert.deepEqual(await ids("status=ENDED"), [ended]);
    assert.deepEqual(await ids("status=FULL"), [full]);
    const open = made.filter((id) => id !== ended && id !== full);
    assert.deepEqual(await ids("status=OPEN"), open);

    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Json = await client.get(`/api/v1/games?limit=5${cursor ? `&cursor=${cursor}` : ""}`);
      assert.ok(page.body.data.games.length <= 5);
      seen.push(...page.body.data.games.map(({ id }: Json) => id));
      cursor = page.body.data.nextCursor;
      await client.newGame({ title: "Made while someone pages" });
    } while (cursor !== null);
    assert.deepEqual(
      seen,
      made.filter((id) => id !== ended),
      "ended rooms are listed only on request",
    );
  });
});
