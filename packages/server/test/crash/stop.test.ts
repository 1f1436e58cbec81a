import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { EventClient, LiveClient } from "../live/clients.ts";
import { ChildServer } from "../support/child-server.ts";
import { type Answer, assertRefused, type Client, metric, range, until } from "../support/http.ts";
import { diskFolder } from "../support/server.ts";
import { issuerFlags } from "../support/tokens.ts";

async function inFolder(work: (flags: string[], path: string) => Promise<void>): Promise<void> {
  const folder = diskFolder();
  try {
    await work(["--data", folder.path, ...issuerFlags], folder.path);
  } finally {
    folder.remove();
  }
}

const { running } = ChildServer;

test("SIGINT ends an idle server with open connections with code 0", () =>
  inFolder((flags) =>
    running(flags, async (client, server) => {
      const socket = await LiveClient.open(server.url);
      const events = await EventClient.open(server.url, await client.newGame());
      assert.deepEqual(await server.signal("SIGINT"), { code: 0, signal: null });
      socket.close();
      events.close();
    }),
  ));

test("SIGTERM during a start on a folder ends it in order with code 0", () =>
  inFolder(async (flags, path) => {
    const server = await ChildServer.begin(flags);
    try {
      await until("it has begun to start", () => existsSync(join(path, "owner.pid")));
      assert.deepEqual(await server.signal("SIGTERM"), { code: 0, signal: null }, server.stderr);
      assert.match(server.stdout, /"msg":"stopped"/);
      assert.equal(server.stderr, "");
    } finally {
      await server.kill();
    }
  }));

test("[LG3] [LG2] SIGTERM under load: each request is answered or refused, code 0, and nothing acknowledged is lost", () =>
  inFolder(async (flags) => {
    const joined: string[] = [];
    let game = "";
    await running(flags, async (client, server) => {
      game = await client.newGame({ maxPlayers: 1_000_000 });
      const others: Answer[] = [];
      let stopping = false;
      const lanes = range(64).map(async (lane) => {
        for (let index = 0; ; index++) {
          let answer: Answer;
          try {
            answer = await client.join(game, `p${lane}-${index}`);
          } catch (error) {
            // Only a connection that is no longer accepted, or an idle one, may end without an answer.
            assert.ok(stopping, String(error));
            return;
          }
          if (answer.status === 200) joined.push(`p${lane}-${index}`);
          else others.push(answer);
          if (answer.status !== 200) return;
        }
      });
      await until("some load", () => joined.length > 500);
      stopping = true;
      const ended = await server.signal("SIGTERM");
      await Promise.all(lanes);
      assert.deepEqual(ended, { code: 0, signal: null }, server.stderr);
      for (const answer of others) assertRefused(answer, 503, "server.stopping");
    });
    await running(flags, async (client) => {
      const people = new Set((await client.participants(game)).map(({ userId }) => userId));
      assert.deepEqual(
        joined.filter((person) => !people.has(person)),
        [],
      );
    });
  }));

test("[ID3] keys survive a restart: repeated joins, leaves, ends and creates get their first answers", () =>
  inFolder(async (flags) => {
    const asks: ((client: Client) => Promise<Answer>)[] = [];
    const first: Answer[] = [];
    await running(flags, async (client, server) => {
      const game = await client.newGame();
      asks.push(
        (it) => it.join(game, "ann", "j"),
        (it) => it.leave(game, "ann", "l"),
        (it) => it.end(game, "creator", "e"),
      );
      for (const ask of asks) first.push(await ask(client));
      await server.signal("SIGTERM");
    });
    await running(flags, async (client) => {
      for (const [index, ask] of asks.entries()) {
        const again = await ask(client);
        assert.deepEqual([again.status, again.text], [first[index].status, first[index].text]);
        assert.equal(again.headers["idempotent-replayed"], "true");
      }
    });
  }));

test("SIGTERM ends with code 0 despite a client that reads nothing and a request that never ends", () =>
  inFolder((flags) =>
    running(flags, async (client, server) => {
      const { hostname, port } = new URL(server.url);
      const game = await client.newGame({ maxPlayers: 1_000_000 });
      const stuck: Socket[] = [];
      const open = async (bytes: string) => {
        const socket = connect(Number(port), hostname);
        socket.on("error", () => {});
        await once(socket, "connect");
        socket.pause();
        socket.write(bytes);
        stuck.push(socket);
      };
      await open(`GET /api/v1/games/${game}/events HTTP/1.1\r\nHost: test\r\n\r\n`);
      await open(
        "POST /api/v1/guests HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{",
      );
      await open(
        "GET /api/v1/live HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
      );
      await until("both watchers", async () => (await metric(client, "openseat_live_connections")) === 2);
      const ended = await server.signal("SIGTERM");
      for (const socket of stuck) socket.destroy();
      assert.deepEqual(ended, { code: 0, signal: null }, server.stdout);
    }),
  ));

test("a signal that comes twice, as npm sends it after a Ctrl-C, does not cut the stop short", () =>
  inFolder((flags) =>
    running(flags, async (_, server) => {
      const { hostname, port } = new URL(server.url);
      const unfinished = connect(Number(port), hostname);
      unfinished.on("error", () => {});
      await once(unfinished, "connect");
      unfinished.write("POST /api/v1/guests HTTP/1.1\r\nHost: test\r\nContent-Length: 50\r\n\r\n{");
      // Back to back: once the stop has ended, nothing handles signals any more.
      server.process.kill("SIGINT");
      const ended = await server.signal("SIGTERM");
      unfinished.destroy();
      assert.deepEqual(ended, { code: 0, signal: null });
      assert.equal(server.stdout.split('"msg":"stopped"').length, 2, server.stdout);
    }),
  ));

test("[LG6] a second process on the same data folder is refused with code 1, and the first keeps running", () =>
  inFolder((flags, path) =>
    running(flags, async (client, server) => {
      const second = await ChildServer.run(["--port", "0", ...flags]);
      assert.equal(second.code, 1);
      assert.ok(second.stderr.includes(path), second.stderr);
      assert.match(
        second.stderr,
        new RegExp(`in use by another Openseat \\(process ${server.process.pid}\\)`),
      );
      assert.doesNotMatch(second.stderr, /\n\s+at /, "one sentence and no stack");
      assert.equal(second.stderr.trim().split("\n").length, 1);
      const game = await client.newGame();
      assert.equal((await client.join(game, "ann")).status, 200);
    }),
  ));

test("[LG6] a folder is free at once after its owner was killed", () =>
  inFolder(async (flags) => {
    await running(flags, (_, server) => server.kill());
    await running(flags, async (client) => {
      assert.equal((await client.get("/readyz")).status, 200);
    });
  }));

test("a port in use, an unusable address or a folder that cannot be created gives a sentence and code 1", () =>
  inFolder(async (own) => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const mistakes: [sentence: RegExp, ...flags: string[]][] = [
      [new RegExp(`${port}.*Another program uses that port; choose one with --port`), "--port", `${port}`],
      [/\S/, "--port", "0", "--host", "192.0.2.1"],
      [/\S/, "--port", "0", "--host", "no-such-host.invalid"],
      [/\/dev\/null\/data/, "--port", "0", "--data", "/dev/null/data"],
    ];
    try {
      for (const [sentence, ...flags] of mistakes) {
        const { code, stderr } = await ChildServer.run([...own, ...flags]);
        assert.equal(code, 1, stderr);
        assert.match(stderr, sentence);
        assert.doesNotMatch(stderr, /\n\s+at /, "one sentence and no stack");
      }
    } finally {
      taken.close();
    }
  }));
