import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { until } from "../../server/test/support/http.ts";
import { tokenOf } from "../../server/test/support/tokens.ts";
import { type Connection, Openseat } from "../src/index.ts";
import { ManualClock } from "./support/clocks.ts";
import { onStage, refusal, type Stage, uncalled } from "./support/stage.ts";

/** True when only the next ping is pending, so every request has been answered. */
const isQuiet = (clock: ManualClock) => clock.timers === 1;

/** A client with its own clock, watching a game. */
async function watching(stage: Stage, random = () => 1) {
  const clock = new ManualClock();
  const client = stage.client({ clock, random });
  const game = await stage.server.client.newGame({ maxPlayers: 100 });
  const connections: Connection[] = [];
  client.onConnection((connection) => void connections.push(connection));
  const seen: number[] = [];
  const stop = client.game(game).watch(({ currentPlayers }) => void seen.push(currentPlayers));
  await until("the first view", () => seen.length === 1);
  await until("the answer to watching", () => isQuiet(clock));
  return { client, clock, game, connections, seen, stop };
}

/** Node has no `online` event. */
function pretendBrowser(): EventTarget {
  const events = new EventTarget();
  Object.assign(globalThis, {
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
  });
  return events;
}

suite("the live connection", () => {
  test("opens when something is watched, and closes when nothing has been watched for a while", () =>
    onStage(async (stage) => {
      const { client, clock, game, connections, stop } = await watching(stage);
      stop();
      // Only the next ping and the idle timeout are pending, so every request has been answered.
      const isAnswered = () => clock.timers === 2;
      await until("the answer to unwatching", isAnswered);
      clock.advance(19_999);
      assert.equal(client.connection, "open");
      let again = 0;
      const stopAgain = client.game(game).watch(() => void again++);
      await until("another view", () => again === 1);
      clock.advance(5_000);
      assert.equal(client.connection, "open", "watched again");
      stopAgain();
      stopAgain();
      await until("the answer to unwatching", isAnswered);
      clock.advance(9_000);
      await until("the answer to a ping", isAnswered);
      clock.advance(10_999);
      assert.equal(client.connection, "open");
      clock.advance(1);
      assert.equal(client.connection, "idle");
      await until("its end", () => stage.network.open === 0);
      let views = 0;
      client.game(game).watch(() => void views++);
      await until("another view", () => views === 1);
      assert.deepEqual(connections, ["connecting", "open", "idle", "connecting", "open"]);
    }));

  test("players who join before the first view are in that view and not in the changes", () =>
    onStage(async (stage) => {
      const waiting: (() => void)[] = [];
      class LateSocket extends WebSocket {
        override send(text: string): void {
          waiting.push(() => super.send(text));
        }
      }
      const game = await stage.server.client.newGame({ maxPlayers: 100 });
      const client = stage.client({ webSocket: LateSocket });
      const seen: [players: number, changes: number][] = [];
      client.game(game).watch((view, changes) => void seen.push([view.currentPlayers, changes.length]));
      await until("the message that asks for the view", () => waiting.length === 1);
      assert.equal(client.connection, "open");
      await stage.server.client.join(game, "ann");
      waiting[0]();
      await until("the first view", () => seen.length === 1);
      await stage.server.client.join(game, "bob");
      await until("the change", () => seen.length === 2);
      assert.deepEqual(seen, [
        [1, 0],
        [2, 1],
      ]);
    }));

  test("a silent connection is detected by a ping, dropped, and resumed", () =>
    onStage(async (stage) => {
      const { client, clock, game, connections, seen } = await watching(stage);
      for (const _ of [1, 2, 3]) {
        clock.advance(15_000);
        assert.ok(!isQuiet(clock), "a ping is under way");
        await until("the answer to a ping", () => isQuiet(clock));
      }
      assert.equal(client.connection, "open");
      stage.network.isSilent = true;
      await stage.server.client.join(game, "ann");
      clock.advance(15_000);
      assert.equal(client.connection, "open", "it may still answer");
      clock.advance(10_000);
      assert.equal(client.connection, "lost");
      stage.network.isSilent = false;
      clock.advance(500);
      await until("what was missed", () => seen.length === 2);
      assert.deepEqual(connections, ["connecting", "open", "lost", "open"]);
    }));

  test("reconnects after pauses that double up to a maximum, with jitter", () =>
    onStage(async (stage) => {
      const { client, clock } = await watching(stage, () => 0.5);
      stage.network.lead("http://127.0.0.1:1");
      stage.network.cut();
      const pauses: number[] = [];
      for (let attempt = 0; attempt < 8; attempt++) {
        await until("the next pause", () => client.connection === "lost" && clock.timers === 1);
        pauses.push(clock.nextInMs);
        clock.advance(clock.nextInMs);
        assert.equal(clock.timers, 1, "it gives up if nothing opens in time");
        await until("the failure", () => clock.nextInMs !== 10_000);
      }
      assert.deepEqual(pauses, [250, 500, 1_000, 2_000, 4_000, 7_500, 7_500, 7_500]);
    }));

  test("reconnects at once when the network or the reader is back", () =>
    onStage(async (stage) => {
      const events = pretendBrowser();
      try {
        const { client, clock, game, seen } = await watching(stage);
        stage.network.cut();
        await until("the loss", () => client.connection === "lost");
        await stage.server.client.join(game, "ann");
        events.dispatchEvent(new Event("online"));
        await until("what was missed", () => seen.length === 2);
        stage.network.isSilent = true;
        events.dispatchEvent(new Event("online"));
        clock.advance(10_000);
        assert.equal(client.connection, "lost", "an open connection is checked at once");
        client.close();
        events.dispatchEvent(new Event("online"));
        assert.deepEqual([client.connection, clock.timers], ["idle", 0]);
      } finally {
        stage.stopClients();
        Object.assign(globalThis, { addEventListener: undefined, removeEventListener: undefined });
      }
    }));

  test("a connection that does not open times out", () =>
    onStage(async (stage) => {
      stage.network.isSilent = true;
      const clock = new ManualClock();
      const client = stage.client({ clock });
      client.game("any").watch(uncalled, uncalled);
      assert.equal(client.connection, "connecting");
      clock.advance(10_000);
      assert.equal(client.connection, "lost");
    }));

  test("the size of messages is limited, and an invalid message ends the connection", async () => {
    for (const rubbish of ["[", "5", `"${"x".repeat(5_000_000)}"`, new ArrayBuffer(2)]) {
      const sockets: ((event: object) => void)[] = [];
      class Rubbish {
        send() {}
        close() {}
        addEventListener(type: string, listener: (event: object) => void) {
          if (type === "message") sockets.push(listener);
        }
      }
      const clock = new ManualClock();
      const client = new Openseat({ url: "http://openseat.test", webSocket: Rubbish, clock });
      client.game("any").watch(uncalled);
      sockets[0]({ data: rubbish });
      assert.equal(client.connection, "lost");
      client.close();
    }
  });

  test("closing ends all requests, pauses, connections and calls", () =>
    onStage(async (stage) => {
      const { client, clock, game, seen } = await watching(stage);
      stage.network.isSilent = true;
      const joining = client.game(game).join();
      client.close();
      await assert.rejects(joining, refusal("client.closed"));
      await assert.rejects(client.games.list(), refusal("client.closed"));
      assert.deepEqual([client.connection, clock.timers], ["idle", 0]);
      client.game(game).watch(uncalled);
      await stage.server.client.join(game, "ann");
      await until("its end", () => stage.network.open === 0);
      assert.deepEqual(seen, [0]);
    }));
});

suite("requests", () => {
  test("a request to a server that does not answer is retried, and fails within 30 seconds", () =>
    onStage(async (stage) => {
      const clock = new ManualClock();
      const ann = stage.client({ token: tokenOf("ann"), clock, random: () => 0.5 });
      stage.network.isSilent = true;
      const listing = ann.games.list();
      let isOver = false;
      const over = assert.rejects(listing, refusal("client.unreachable", 0)).then(() => {
        isOver = true;
      });
      let waited = 0;
      while (!isOver) {
        await until("the next wait", () => clock.timers === 1 || isOver);
        if (isOver) break;
        waited += clock.nextInMs;
        clock.advance(clock.nextInMs);
        await new Promise(setImmediate);
      }
      await over;
      assert.ok(waited > 20_000 && waited <= 40_000, `${waited} ms`);
      assert.ok(stage.network.opened >= 3);
    }));

  test("the number of pending requests is limited", () =>
    onStage(async (stage) => {
      const fetch = () => new Promise<never>(() => {});
      const client = stage.client({ fetch });
      for (let index = 0; index < 1_000; index++) client.games.list().catch(() => {});
      await assert.rejects(client.games.list(), refusal("client.busy"));
    }));

  test("a foreign answer is recognised, and a proxy's error is retried", async () => {
    const answers: [status: number, text: string, header?: string][] = [
      [502, "<html>Bad Gateway</html>"],
      [503, '{"success":false,"statusCode":503,"code":"server.stopping","message":"Stopping."}', "1"],
      [429, '{"success":false,"statusCode":429,"code":"limit.address","message":"Slow down."}', "2"],
      [200, '{"success":true,"message":"","data":{"games":[],"nextCursor":null}}'],
      [200, "<html>A login page</html>"],
    ];
    const clock = new ManualClock();
    const asked: number[] = [];
    const client = new Openseat({
      url: "http://openseat.test/base/",
      clock,
      random: () => 0,
      fetch: async (url) => {
        assert.equal(url, "http://openseat.test/base/api/v1/games");
        asked.push(clock.now());
        const [status, text, retryAfter = null] = answers.shift()!;
        const get = (name: string) => (name === "retry-after" ? retryAfter : null);
        return { status, headers: { get }, text: async () => text };
      },
    });
    const listing = client.games.list();
    for (let round = 0; round < 40; round++) {
      await new Promise(setImmediate);
      clock.advance(100);
    }
    assert.deepEqual((await listing).games, []);
    assert.deepEqual(
      asked.map((at) => Math.floor(at / 1_000)),
      [0, 0, 1, 3],
    );
    await assert.rejects(client.games.list(), refusal("client.unreadable", 200));
    client.close();
  });

  test("an invalid url is refused", () => {
    for (const url of [undefined, "", "localhost:8080", "ws://localhost", "http://"])
      assert.throws(() => new Openseat({ ...(url !== undefined && { url }) }), TypeError, String(url));
  });
});
