import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { LiveClient } from "../live/clients.ts";
import { assertRefused, range } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { stillClock } from "../support/skewed-clock.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";

/** Its clock stands still, so no budget refills, however long a test takes. */
async function withServer(
  flags: readonly string[],
  work: (server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await startServer([...issuerFlags, ...flags], undefined, { clock: stillClock() });
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

suite("write budgets", () => {
  test("[LM3] joins and leaves cost, over HTTP and live messages alike; reads and pings do not", () =>
    withServer(["--writes-per-person-max", "3"], async ({ client, url, serviceKey }) => {
      const made = { token: serviceKey, body: { title: "A game", maxPlayers: 4 } };
      const game = (await client.post("/api/v1/games", made)).body.data.game.id;
      assert.equal((await client.join(game, "ann")).status, 200);
      assert.equal((await client.leave(game, "ann")).status, 200);
      const live = await LiveClient.open(url, { token: tokenOf("ann") });
      assert.equal((await live.ask({ type: "join", game })).status, 200);
      const refused = await live.ask({ type: "leave", game });
      assert.deepEqual([refused.status, refused.body.code], [429, "limit.person"]);
      assert.equal(refused.retryAfterSeconds, 20);
      for (const answer of [await client.join(game, "ann"), await client.leave(game, "ann")]) {
        assertRefused(answer, 429, "limit.person");
        assert.equal(answer.body.retryable, true);
      }
      for (const _ of range(5)) {
        assert.equal((await live.ask({ type: "ping" })).status, 200);
        assert.equal((await live.ask({ type: "can-join", game })).status, 200);
        await client.canJoin(game, "ann");
      }
      assert.equal((await client.join(game, "ben")).status, 200);
      live.close();
    }));

  test("[LM3] all requests from an address share a budget", () =>
    withServer(["--writes-per-address-max", "3", "--trust-proxy"], async ({ client, serviceKey }) => {
      const made = { token: serviceKey, body: { title: "A game", maxPlayers: 4 } };
      const game = (await client.post("/api/v1/games", made)).body.data.game.id;
      for (const person of ["a", "b", "c"]) assert.equal((await client.join(game, person)).status, 200);
      assertRefused(await client.join(game, "d"), 429, "limit.address");
      const call = { token: tokenOf("d"), headers: { "x-forwarded-for": "192.0.2.7" } };
      assert.equal((await client.post(`/api/v1/games/${game}/join`, call)).status, 200);
    }));

  test("[LM3] listed addresses are exempt", () =>
    withServer(
      ["--writes-per-person-max", "0", "--writes-per-address-max", "0", "--exempt-addresses", "127.0.0.0/8"],
      async ({ client }) => {
        const game = await client.newGame();
        assert.equal((await client.join(game, "ann")).status, 200);
      },
    ));

  test("[LM3] a void costs as much as ten other writes, because it recalculates later matches", () =>
    withServer(["--writes-per-person-max", "12"], async ({ client, serviceKey }) => {
      const post = (path: string, body?: object, token = tokenOf("ann")) =>
        client.post(`/api/v1/ladders${path}`, { token, body });
      const { id } = (await post("", { title: "A ladder" }, serviceKey)).body.data.ladder;
      for (const userId of ["ann", "ben"]) await post(`/${id}/players`, { userId }, serviceKey);
      const match = { players: ["ann", "ben"], scores: [1, 0] };
      const numbers = [];
      for (const _ of range(2)) numbers.push((await post(`/${id}/matches`, match)).body.data.match.id);
      assert.equal((await post(`/${id}/matches/${numbers[0]}/void`)).status, 200);
      assertRefused(await post(`/${id}/matches/${numbers[1]}/void`), 429, "limit.person");
    }));

  test("[LM3] voiding a match by chat costs as much as over HTTP", () =>
    withServer(["--writes-per-person-max", "12"], async ({ client }) => {
      const say = (body: object) => client.post("/api/v1/chat/messages", { token: tokenOf("ann"), body });
      assert.equal((await say({ messageId: "1", text: "undo" })).status, 200);
      const messages = ["top", "Undo!"].map((text, index) => ({ messageId: `2-${index}`, text }));
      assertRefused(await say({ messages }), 429, "limit.person");
      assert.equal(
        (await say({ messageId: "3", text: "top" })).status,
        200,
        "the refused request cost nothing",
      );
      assertRefused(await say({ messageId: "4", text: "undo" }), 429, "limit.person");
    }));

  test("[LM3] a room costs as much as twenty other writes, and an arena with tiers as much as its rooms", () =>
    withServer(["--writes-per-person-max", "60"], async ({ client, operatorKey }) => {
      const post = (path: string, body: object, token = tokenOf("ann")) => client.post(path, { token, body });
      const { id } = (await post("/api/v1/ladders", { title: "A ladder" })).body.data.ladder;
      const tiers = ["low", "mid", "top"].map((name, index) => ({ name, from: 1_000 + index * 300 }));
      const arena = { title: "An arena", game: "tic-tac-toe", ladder: id, tiers };
      assertRefused(await post("/api/v1/arenas", arena), 429, "limit.person");
      assert.equal((await post("/api/v1/arenas", arena, operatorKey)).status, 201);
      const game = { title: "A game", maxPlayers: 2 };
      // The refused request cost nothing: the budget is enough for two rooms.
      for (const _ of range(2)) assert.equal((await post("/api/v1/games", game)).status, 201);
      assertRefused(await post("/api/v1/games", game), 429, "limit.person");
      assert.equal((await post("/api/v1/games", game, tokenOf("ben"))).status, 201);
    }));

  test("[LM7] a person has a maximum number of live rooms of all kinds, also after a restart", async () => {
    const flags = [...issuerFlags, "--rooms-per-person-max", "10"];
    let server = await startServer(flags);
    const token = tokenOf("ann");
    const make = (kind: string, body: object, key?: string) =>
      server.client.post(`/api/v1/${kind}`, { token, body, key });
    const games = await Promise.all(
      range(20).map((index) => make("games", { title: "A game", maxPlayers: 2 }, `game ${index}`)),
    );
    const made = games.filter(({ status }) => status === 201);
    assert.equal(made.length, 10);
    const refused = games.find(({ status }) => status !== 201)!;
    assertRefused(refused, 429, "limit.rooms");
    assert.equal(refused.body.retryable, undefined);
    server = await server.restart();
    assertRefused(await make("ladders", { title: "A ladder" }), 429, "limit.rooms");
    const index = games.indexOf(made[0]);
    const again = await make("games", { title: "A game", maxPlayers: 2 }, `game ${index}`);
    assert.deepEqual([again.status, again.headers["idempotent-replayed"]], [201, "true"]);
    assert.equal((await server.client.end(made[0].body.data.game.id, "ann")).status, 200);
    assert.equal((await make("ladders", { title: "A ladder" })).status, 201);
    const arena = { title: "An arena", game: "tic-tac-toe" };
    assertRefused(await make("arenas", arena), 429, "limit.rooms");
    const byService = { token: server.serviceKey, body: arena };
    assert.equal((await server.client.post("/api/v1/arenas", byService)).status, 201);
    await server.stop();
  });

  test("[LM3] each chat message of a batch costs a write; services may write for any number of people", () =>
    withServer(["--writes-per-person-max", "4"], async ({ client, serviceKey }) => {
      const batch = (count: number, more = {}) => ({
        messages: range(count).map((index) => ({ messageId: `m${index}`, text: "help", ...more })),
      });
      const say = (body: object, token = tokenOf("ann")) =>
        client.post("/api/v1/chat/messages", { token, body });
      assert.equal((await say(batch(3))).status, 200);
      assertRefused(await say(batch(4)), 429, "limit.person");
      assert.equal((await say({ messageId: "m0", text: "help" }, tokenOf("ben"))).status, 200);
      assert.equal((await say(batch(50, { userId: "cleo" }), serviceKey)).status, 200);
    }));
});
