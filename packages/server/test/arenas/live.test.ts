import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { EventClient, LiveClient } from "../live/clients.ts";
import { type Json, range, until } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { skewedClock } from "../support/skewed-clock.ts";
import { inSeconds, issuerFlags, tokenOf } from "../support/tokens.ts";
import { Hall, labelled, patient, quickWin, standing } from "./hall.ts";

suite("arenas live", () => {
  let server: TestServer;
  let hall: Hall;
  const open: { close(): void }[] = [];

  before(async () => {
    server = await startServer();
    hall = new Hall(server);
  });
  after(async () => {
    for (const client of open) client.close();
    await server.stop();
  });

  async function live(person?: string): Promise<LiveClient> {
    const client = await LiveClient.open(server.url, person === undefined ? {} : { token: tokenOf(person) });
    open.push(client);
    return client;
  }

  async function watching(id: string, person?: string, after?: number): Promise<LiveClient> {
    const client = await live(person);
    const answer = await client.ask({ type: "watch", arena: id, ...(after !== undefined && { after }) });
    assert.deepEqual([answer.status, answer.body.data], [200, { arena: id }]);
    return client;
  }

  async function events(id: string, person?: string, options: Json = {}): Promise<EventClient> {
    const token = person === undefined ? {} : { token: tokenOf(person) };
    const client = await EventClient.open(server.url, id, { kind: "arena", ...token, ...options });
    open.push(client);
    return client;
  }

  const versionOf = async (id: string): Promise<number> => (await hall.look(id)).version;

  test("[AR11] [MT3] every viewer sees players, the line and the board as they change, each with their own view", async () => {
    const id = await hall.newArena(patient);
    const people = ["ann", "bob", "cat", undefined];
    const tabs = await Promise.all(people.map((person) => watching(id, person)));
    for (const tab of tabs) {
      const view = await tab.at(1);
      assert.deepEqual(
        [view.type, view.arena.id, view.game.name, view.state.you],
        ["view", id, "tic-tac-toe", null],
      );
    }
    for (const person of ["ann", "bob", "cat"]) await hall.join(id, person);
    await hall.play(id, quickWin);
    const version = await versionOf(id);
    for (const [index, tab] of tabs.entries()) {
      await tab.at(version);
      for (const change of tab.feed.slice(1)) {
        assert.equal(change.arena, id);
        assert.ok(change.state, "at the head, every change comes with the state");
      }
      const state = standing(tab.feed);
      assert.deepEqual(state, (await hall.look(id, people[index])).state);
      assert.equal(state.you?.ticket ?? null, people[index] === undefined ? null : state.you.ticket);
    }
    const [entered, seated, started] = (await tabs[3].at(3)).changes;
    assert.deepEqual(entered, { type: "entered", userId: "bob", person: "bob", position: 1 });
    assert.deepEqual(seated, { type: "seated", userId: "bob", person: "bob", label: "O" });
    assert.deepEqual(started, { type: "match-started", match: "3", number: 1 });
    const { changes } = await tabs[3].at(version);
    assert.deepEqual(
      changes.map(({ type }: Json) => type),
      ["moved", "match-ended", "left", "entered", "seated", "match-started"],
    );
  });

  test("[FD4] WebSocket and server-sent events carry identical data for the same viewer", async () => {
    for (const person of ["ann", "cat", undefined]) {
      const { id } = await hall.playing(["ann", "bob", "cat"]);
      const socket = await watching(id, person);
      const stream = await events(id, person);
      await Promise.all([socket.at(4), stream.at(4)]);
      await hall.play(id, quickWin);
      const version = await versionOf(id);
      await Promise.all([socket.at(version), stream.at(version)]);
      assert.deepEqual(stream.feed, socket.feed);
      assert.deepEqual(
        stream.ids,
        range(version - 3).map((index) => index + 4),
      );
      assert.equal(stream.names[0], "view");
      const [resumed, back] = [await events(id, person, { lastEventId: 3 }), await watching(id, person, 3)];
      await until("views", () => [resumed, back].every(({ feed }) => feed.at(-1)?.type === "view"));
      assert.deepEqual(resumed.feed, back.feed);
      const query = await events(id, person, { after: 3 });
      await until("a view", () => query.feed.at(-1)?.type === "view");
      assert.deepEqual(query.feed, back.feed);
    }
  });

  test("[AR11] [ID1] messages on the live connection get the same responses as over HTTP, including keys", async () => {
    const id = await hall.newArena(patient);
    const [ann, bob] = [await live("ann"), await live("bob")];
    const joined = await ann.ask({ type: "join", arena: id, key: "j" });
    const again = await hall.join(id, "ann", { key: "j" });
    assert.deepEqual([again.body, again.headers["idempotent-replayed"]], [joined.body, "true"]);
    await bob.ask({ type: "join", arena: id });
    const { match, players } = (await hall.look(id)).state;
    const turn = labelled(players)[match.toMove[0]];
    const [mover, other] = turn === "ann" ? [ann, bob] : [bob, ann];
    const moved = await hall.move(id, turn, match.id, "b2", { key: "m" });
    const replayed = await mover.ask({ type: "move", arena: id, match: match.id, move: "b2", key: "m" });
    assert.deepEqual([replayed.status, replayed.replayed, replayed.body], [200, true, moved.body]);
    const reused = await mover.ask({ type: "move", arena: id, match: match.id, move: "a1", key: "m" });
    assert.deepEqual([reused.status, reused.body.code], [422, "key.reused"]);
    const taken = await other.ask({ type: "move", arena: id, match: match.id, move: "b2" });
    assert.deepEqual([taken.status, taken.body.code], [409, "move.impossible"]);
    const resigned = await other.ask({ type: "resign", arena: id, match: match.id, key: "r" });
    assert.deepEqual([resigned.status, resigned.body.data.result.reason], [200, "resigned"]);
    const left = await mover.ask({ type: "leave", arena: id });
    assert.equal(left.body.data.ticket, turn === "ann" ? 1 : 2);
  });

  test("[MT5] [AR11] a change shows the turn, and a repeated move counts once", async () => {
    const { id, match } = await hall.playing(["ann", "bob"], { game: "rock-paper-scissors" });
    const [ann, bob] = [await live("ann"), await live("bob")];
    await ann.ask({ type: "watch", arena: id });
    const rock = { type: "move", arena: id, match, turn: 1, move: "rock" };
    assert.equal((await ann.ask(rock)).status, 200);
    assert.equal((await bob.ask(rock)).status, 200, "the opponent's throw does not end the turn");
    await until("the second turn", () => standing(ann.feed).match.turn === 2);
    for (const said of [rock, { ...rock, turn: undefined }]) {
      const { status, body } = await ann.ask(said);
      assert.deepEqual([status, body.code], [409, said.turn ? "turn.stale" : "turn.missing"]);
      assert.deepEqual(body.data, { turn: 2 });
    }
    assert.equal((await ann.ask({ ...rock, turn: 2 })).status, 200);
  });

  test("[AU3] a message may carry its own token; watching uses the identity of the connection", async () => {
    const { id } = await hall.playing(["ann", "bob"]);
    const tab = await live();
    await tab.ask({ type: "watch", arena: id });
    assert.equal((await tab.at(3)).state.you, null);
    const joined = await tab.ask({ type: "join", arena: id, token: tokenOf("cat") });
    assert.equal(joined.body.data.place.position, 1);
    assert.equal((await tab.at(4)).state.you, null, "a message's token does not apply to the connection");
    await tab.ask({ type: "auth", token: tokenOf("cat") });
    await tab.ask({ type: "watch", arena: id, after: 4 });
    await until("a view as cat", () => tab.feed.some((it) => it.type === "view" && it.state.you));
    const as = tab.feed.at(-1).state.you;
    assert.deepEqual([as.state, as.position], ["waiting", 1]);
    const service = await LiveClient.open(server.url, { token: server.serviceKey });
    open.push(service);
    await service.ask({ type: "watch", arena: id });
    assert.equal((await service.at(4)).state.you, null);
  });

  test("[MT3] [AU2] an expired token no longer shows a viewer their own data", async () => {
    const clock = skewedClock();
    const other = await startServer(issuerFlags, undefined, { clock });
    try {
      const { id } = await new Hall(other).playing(["ann", "bob"]);
      const client = await LiveClient.open(other.url, { token: tokenOf("ann", { exp: inSeconds(600) }) });
      open.push(client);
      const watch = () => client.ask({ type: "watch", arena: id });
      assert.equal((await watch()).status, 200);
      clock.skip(700_000);
      const refused = await watch();
      assert.deepEqual([refused.status, refused.body.code], [401, "auth.expired"]);
      await client.ask({ type: "auth", token: tokenOf("ann") });
      assert.equal((await watch()).status, 200);
    } finally {
      await other.stop();
    }
  });
});
