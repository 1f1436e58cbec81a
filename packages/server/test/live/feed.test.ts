import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, suite, test } from "node:test";
import { friendlyName } from "@openseat/protocol/friendly-names";
import { watchLimits } from "../../src/feed/watch.ts";
import { type Client, eachOf, metric, range, until } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { EventClient, LiveClient, type Watching } from "./clients.ts";

const kinds = ["WebSocket", "server-sent events"] as const;

suite("the live feed", () => {
  let server: TestServer;
  let client: Client;

  before(async () => {
    server = await startServer();
    client = server.client;
  });
  after(() => server.stop());

  async function watch(kind: (typeof kinds)[number], game: string, after?: number): Promise<Watching> {
    const from = after === undefined ? {} : { after };
    if (kind === "server-sent events") return EventClient.open(server.url, game, from);
    const live = await LiveClient.open(server.url);
    assert.equal((await live.ask({ type: "watch", game, ...from })).status, 200);
    return live;
  }

  for (const kind of kinds) {
    test(`[FD1] [FD4] ${kind}: a view first, then every change in order, exactly once`, async () => {
      const game = await client.newGame({ maxPlayers: 500 });
      await client.join(game, "early");
      const watching = await watch(kind, game);
      const view = await watching.at(2);
      assert.equal(view.type, "view");
      assert.deepEqual(view.game, (await client.look(game)).game);
      await eachOf(range(300), 100, (index) => client.join(game, `p${index}`));
      await watching.at(302);
      watching.close();
      assert.deepEqual(
        watching.feed.map(({ type, version }) => [type, version]),
        [["view", 2], ...range(300).map((index) => ["change", index + 3])],
      );
      const counts = watching.feed.slice(1).map(({ changes }) => changes[0].currentPlayers);
      assert.deepEqual(
        counts,
        range(300).map((index) => index + 2),
      );
    });
  }

  test("[FD4] both kinds of connection carry identical feeds", async () => {
    const game = await client.newGame({ maxPlayers: 2, waitlist: true });
    const socket = await watch("WebSocket", game);
    const events = (await watch("server-sent events", game)) as EventClient;
    await socket.at(1);
    await events.at(1);
    for (const person of ["a", "b", "c", "d"]) await client.join(game, person);
    await client.leave(game, "c");
    await client.leave(game, "a");
    await client.end(game);
    const { version } = await client.look(game);
    await Promise.all([socket.at(version), events.at(version)]);
    assert.deepEqual(events.feed, socket.feed);
    assert.deepEqual(
      events.ids,
      events.feed.map((message) => message.version),
    );
    assert.deepEqual(
      events.names,
      events.feed.map(({ type }) => type),
    );
    socket.close();
    events.close();
  });

  test("[GM9] watchers get all events, with the counts, in order", async () => {
    const game = await client.newGame({ maxPlayers: 2, waitlist: true });
    const watching = await watch("WebSocket", game);
    await watching.at(1);
    const participant = async (person: string) => (await client.join(game, person)).body.data.participant.id;
    const ann = await participant("ann");
    const bob = await participant("bob");
    const cleo = await participant("cleo");
    const dan = await participant("dan");
    await client.leave(game, "cleo");
    await client.leave(game, "ann");
    await client.leave(game, "bob");
    await client.end(game);
    await watching.at(9);
    watching.close();
    const player = (participantId: string, userId: string) => ({
      participantId,
      userId,
      name: friendlyName(userId),
    });
    const counts = (currentPlayers: number, waiting: number) => ({
      currentPlayers,
      maxPlayers: 2,
      availableSlots: 2 - currentPlayers,
      waiting,
    });
    assert.deepEqual(
      watching.feed.slice(1).map(({ changes }) => changes),
      [
        [{ type: "player-joined", player: player(ann, "ann"), ...counts(1, 0) }],
        [
          { type: "player-joined", player: player(bob, "bob"), ...counts(2, 0) },
          { type: "status-changed", status: "FULL", ...counts(2, 0) },
        ],
        [{ type: "player-waiting", player: player(cleo, "cleo"), ...counts(2, 1) }],
        [{ type: "player-waiting", player: player(dan, "dan"), ...counts(2, 2) }],
        [{ type: "player-left", player: player(cleo, "cleo"), reason: "cancelled", ...counts(2, 1) }],
        [
          { type: "player-left", player: player(ann, "ann"), reason: "left", ...counts(1, 1) },
          { type: "player-joined", player: player(dan, "dan"), ...counts(2, 0) },
        ],
        [
          { type: "player-left", player: player(bob, "bob"), reason: "left", ...counts(1, 0) },
          { type: "status-changed", status: "OPEN", ...counts(1, 0) },
        ],
        [{ type: "status-changed", status: "ENDED", ...counts(1, 0) }],
      ],
    );
    for (const { game: of, at } of watching.feed.slice(1)) {
      assert.equal(of, game);
      assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
    }
  });

  test("[FD1] Last-Event-ID resumes as in browsers, takes precedence over `after`, and works across a server restart", async () => {
    const own = await startServer();
    let next = own;
    try {
      const game = await own.client.newGame({ maxPlayers: 50 });
      for (const index of range(5)) await own.client.join(game, `p${index}`);
      const first = await EventClient.open(own.url, game, { after: 1 });
      await first.at(4);
      const seen = 4;
      first.close();
      next = await own.restart();
      for (const index of range(3)) await next.client.join(game, `q${index}`);
      const second = await EventClient.open(next.url, game, { after: 1, lastEventId: seen });
      await second.at(9);
      second.close();
      assert.deepEqual(second.ids, [5, 6, 7, 8, 9]);
      const live = await LiveClient.open(next.url);
      await live.ask({ type: "watch", game, after: seen });
      await live.at(9);
      assert.deepEqual(
        live.feed.map(({ version }) => version),
        [5, 6, 7, 8, 9],
      );
      live.close();
    } finally {
      await next.stop();
    }
  });

  test("[FD1] watching and unwatching at once ends without a watch", async () => {
    const game = await client.newGame({ maxPlayers: 100 });
    const live = await LiveClient.open(server.url);
    live.socket.send(JSON.stringify({ id: 901, type: "watch", game }));
    live.socket.send(JSON.stringify({ id: 902, type: "unwatch", game }));
    await Promise.all([live.answerTo(901), live.answerTo(902)]);
    await live.ask({ type: "can-join", game });
    const before = await metric(client, "openseat_watches");
    live.close();
    await until(
      "only the watches of the others",
      async () => (await metric(client, "openseat_watches")) <= before,
    );
    assert.equal(await metric(client, "openseat_watches"), before, "it was still watching");
  });

  test("[FD1] watching again from another version replaces the watch: nothing is sent twice", async () => {
    const game = await client.newGame({ maxPlayers: 100 });
    const live = await LiveClient.open(server.url);
    await live.ask({ type: "watch", game });
    await live.at(1);
    await live.ask({ type: "watch", game, after: 1 });
    await client.join(game, "ann");
    await live.at(2);
    await live.ask({ type: "ping" });
    assert.equal(live.feed.filter(({ version }) => version === 2).length, 1);
    live.close();
  });

  test("[FD2] a reader that reads nothing blocks nobody, and uses a bounded amount of memory", async () => {
    const game = await client.newGame({ maxPlayers: 1_000_000 });
    const { hostname, port } = new URL(server.url);
    let wires: { writableLength: number }[] = [];
    const remember = (wire: { writableLength: number }) => wires.push(wire);
    server.app.server.on("connection", remember);
    const stuck = connect(Number(port), hostname);
    await once(stuck, "connect");
    // The server may disconnect it after a minute without reads.
    stuck.on("error", () => {});
    stuck.pause();
    stuck.write(`GET /api/v1/games/${game}/events?after=0 HTTP/1.1\r\nHost: test\r\n\r\n`);
    await until("the stuck reader's watch", async () => (await metric(client, "openseat_watches")) >= 1);
    server.app.server.off("connection", remember);
    const fast = await EventClient.open(server.url, game, { after: 0 });
    // Long names make large messages: more than the kernel's buffers and the server's limit together.
    const name = (index: number) => `${index}-`.padEnd(128, "x");
    let worst = 0;
    await eachOf(range(24_000), 256, async (index) => {
      await client.join(game, name(index));
      worst = Math.max(worst, ...wires.map(({ writableLength }) => writableLength));
    });
    await fast.at(24_001);
    assert.deepEqual(
      fast.ids,
      range(24_001).map((index) => index + 1),
    );
    fast.close();
    assert.ok(worst > watchLimits.backlogBytesMax / 2, `the reader was never behind: ${worst}`);
    assert.ok(worst < watchLimits.backlogBytesMax * 4, `${worst} bytes wait for one reader`);
    wires = [];

    // When it reads again, it catches up by changes, or by a view if it missed too many.
    let text = "";
    stuck.setEncoding("utf8");
    stuck.on("data", (chunk: string) => {
      text = (text + chunk).slice(-4_000);
    });
    stuck.resume();
    await until(
      "the reader is at the head or disconnected",
      () => text.includes('"version":24001') || stuck.destroyed,
    );
    stuck.destroy();
  });
});
