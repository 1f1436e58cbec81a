import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { LiveClient } from "../live/clients.ts";
import { assertRefused, type Json, until } from "../support/http.ts";
import { serverOfSuite } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";

suite("people in games over HTTP", () => {
  const { server, client } = serverOfSuite();

  async function guest(name: string): Promise<{ id: string; token: string }> {
    const { body } = await client.post("/api/v1/guests", { body: { name } });
    return { id: body.data.person?.id ?? body.data.guest.id, token: body.data.token };
  }

  const removal = (game: string, person: string) => `/api/v1/games/${game}/participants/${person}/remove`;

  test("[GM1] [GM9] participants and changes have the names of guests, from joining to leaving", async () => {
    const [ann, bob] = [await guest("Ann 🌲"), await guest("Bob")];
    const game = await client.newGame({ maxPlayers: 1, waitlist: true });
    const live = await LiveClient.open(server.url);
    await live.ask({ type: "watch", game });
    await until("the view", () => live.received.find(({ type }) => type === "view"));
    const joined = await client.post(`/api/v1/games/${game}/join`, { token: ann.token });
    assert.equal(joined.body.data.participant.name, "Ann 🌲");
    await client.post(`/api/v1/games/${game}/join`, { token: bob.token });
    await client.post(`/api/v1/games/${game}/leave`, { token: ann.token });
    const changes = await until("all changes", () => {
      const all = live.received.flatMap((message: Json) =>
        message.type === "change" ? message.changes : [],
      );
      return all.some(({ type }: Json) => type === "player-left") ? all : undefined;
    });
    live.close();
    const told = changes
      .filter(({ player }: Json) => player)
      .map(({ type, player }: Json) => [type, player.name]);
    assert.deepEqual(told, [
      ["player-joined", "Ann 🌲"],
      ["player-waiting", "Bob"],
      ["player-left", "Ann 🌲"],
      ["player-joined", "Bob"],
    ]);
    const all = (await client.get(`/api/v1/games/${game}/participants`)).body.data.participants;
    assert.deepEqual(
      all.map(({ name, status }: Json) => [name, status]),
      [
        ["Ann 🌲", "LEFT"],
        ["Bob", "ACTIVE"],
      ],
    );
    const present = await client.get(`/api/v1/games/${game}/participants?present=true&limit=1`);
    assert.deepEqual(present.body.data, { participants: [all[1]], nextCursor: null });
  });

  test("[GM10] the maker removes a person; the first in line gets the seat, and watchers see the reason", async () => {
    const game = await client.newGame({ maxPlayers: 1, waitlist: true }, "maker");
    await client.join(game, "ann");
    await client.join(game, "bob");
    const live = await LiveClient.open(server.url);
    await live.ask({ type: "watch", game });
    await until("the view", () => live.received.find(({ type }) => type === "view"));
    assertRefused(await client.post(removal(game, "ann"), { token: tokenOf("bob") }), 403, "auth.forbidden");
    const call = { token: tokenOf("maker"), key: "out" };
    const removed = await client.post(removal(game, "ann"), call);
    assert.equal(removed.status, 200, removed.text);
    assert.deepEqual([removed.body.data.game.currentPlayers, removed.body.data.game.waiting], [1, 0]);
    const again = await client.post(removal(game, "ann"), call);
    assert.deepEqual([again.status, again.body], [200, removed.body]);
    assertRefused(await client.post(removal(game, "bob"), call), 422, "key.reused");
    const change: Json = await until("the change", () => live.received.find(({ type }) => type === "change"));
    live.close();
    assert.deepEqual(
      change.changes.map(({ type, player, reason }: Json) => [type, player.userId, reason]),
      [
        ["player-left", "ann", "removed"],
        ["player-joined", "bob", undefined],
      ],
    );
    assertRefused(await client.post(removal(game, "ann"), { token: tokenOf("maker") }), 400, "place.missing");
    const byOperator = await client.post(removal(game, "bob"), { token: server.operatorKey });
    assert.equal(byOperator.status, 200, byOperator.text);
    assert.equal((await client.join(game, "ann")).status, 200, "a removed person may join again");
    assertRefused(await client.post(removal("nowhere", "ann"), call), 404, "room.not-found");
  });
});
