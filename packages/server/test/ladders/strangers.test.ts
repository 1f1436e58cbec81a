import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { EventClient } from "../live/clients.ts";
import { assertRefused, type Json } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tokenOf } from "../support/tokens.ts";
import { Club } from "./club.ts";

suite("ladders among strangers", () => {
  let server: TestServer;
  let club: Club;
  before(async () => {
    server = await startServer();
    club = new Club(server);
  });
  after(() => server.stop());

  const by = (person: string) => ({ token: tokenOf(person) });
  const ban = (id: string, person: string, token = tokenOf("maker"), verb = "ban") =>
    server.client.post(`/api/v1/ladders/${id}/players/${person}/${verb}`, { token });
  const reportBy = async (person: string, id: string, players: Json, scores: Json) => {
    const answer = await club.report(id, players, scores, by(person));
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data.match;
  };

  test("[LD9] an open ladder created by a person requires confirmation; others only if configured", async () => {
    const confirms = async (fields: Json, token = tokenOf("maker")) =>
      (await club.create(fields, { token })).body.data.ladder.confirm;
    assert.equal(await confirms({}), true);
    assert.equal(await confirms({ open: true }), true);
    assert.equal(await confirms({ confirm: false }), false);
    assert.equal(await confirms({ open: false }), false);
    assert.equal(await confirms({ open: false, confirm: true }), true);
    for (const token of [server.serviceKey, server.operatorKey]) {
      assert.equal(await confirms({}, token), false);
      assert.equal(await confirms({ confirm: true }, token), true);
    }
  });

  test("[LD14] a different score is a dispute that both players and the maker see, in the matches and in the feed", async () => {
    const id = await club.newLadder(["ann", "bob"]);
    const watching = await EventClient.open(server.url, id, { kind: "ladder" });
    await watching.at((await club.look(id)).version);
    const first = await reportBy("ann", id, ["ann", "bob"], [3, 1]);
    const second = await reportBy("bob", id, ["ann", "bob"], [1, 3]);
    assert.deepEqual([second.status, second.dispute], ["pending", first.id]);
    const waiting = await club.matches(id, "?status=pending");
    assert.deepEqual(
      waiting.map(({ id: match, dispute }) => [match, dispute]),
      [
        [second.id, first.id],
        [first.id, second.id],
      ],
    );
    assert.equal((await club.get(id, `/matches/${first.id}`)).body.data.match.dispute, second.id);
    await watching.at((await club.look(id)).version);
    const changes = watching.feed.flatMap(({ changes: some = [] }) => some as Json[]);
    watching.close();
    assert.deepEqual(
      changes.map(({ type, match }) => [type, match.id, match.dispute]),
      [
        ["match-reported", first.id, null],
        ["match-reported", second.id, first.id],
      ],
    );
    const settled = await club.settle("confirm", id, first.id, "bob");
    assert.equal(settled.body.data.match.status, "counted", settled.text);
    assert.deepEqual(
      (await club.matches(id)).map(({ status, dispute }) => [status, dispute]),
      [
        ["declined", null],
        ["counted", null],
      ],
    );
  });

  test("[LD13] a banned player leaves and cannot return in any way until they are unbanned", async () => {
    const id = await club.newLadder(["ann", "bob", "cat"]);
    const waiting = await reportBy("ann", id, ["ann", "bob"], [3, 1]);
    assertRefused(await ban(id, "bob", tokenOf("ann")), 403, "auth.forbidden");
    assertRefused(await ban(id, "zoe"), 404, "player.not-found");
    const banned = await ban(id, "bob");
    assert.deepEqual([banned.status, banned.body.data], [200, { userId: "bob", banned: true }], banned.text);
    assertRefused(await ban(id, "bob"), 403, "player.banned");
    assert.equal((await club.get(id, `/matches/${waiting.id}`)).body.data.match.status, "lapsed");
    assertRefused(await club.join(id, "bob"), 403, "player.banned");
    assertRefused(await club.enrol(id, { userId: "bob" }), 403, "player.banned");
    assertRefused(await club.report(id, ["ann", "bob"], [1, 0], by("ann")), 403, "player.banned");
    assertRefused(await club.report(id, ["ann", "bob"]), 403, "player.banned");
    assert.deepEqual(
      [(await club.player(id, "bob")).banned, (await club.look(id)).ladder.players],
      [true, 2],
    );
    const unbanned = await ban(id, "bob", undefined, "unban");
    assert.deepEqual(unbanned.body.data, { userId: "bob", banned: false });
    assertRefused(await ban(id, "bob", undefined, "unban"), 409, "player.not-banned");
    assert.equal((await club.join(id, "bob")).status, 200);
  });
});
