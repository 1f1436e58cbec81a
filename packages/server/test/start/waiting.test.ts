import assert from "node:assert/strict";
import { createServer, type Server } from "node:net";
import { suite, test } from "node:test";
import { Waiting } from "../../src/boot/startup-retry.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { LogUnavailable, LogUnusable } from "../../src/log/log.ts";
import { openWaitingServer } from "../../src/transport/http/waiting-server.ts";
import { LiveClient } from "../live/clients.ts";
import { assertInvalid, assertRefused, Client, sayRaw, until } from "../support/http.ts";
import { freePort } from "../support/ports.ts";

/** A start on a database in the state that the test sets. */
async function stage(flags: readonly string[] = ["--database-url", "postgres://a.test/x"]) {
  const told: { reason: string; url: string }[] = [];
  // Do not let the system choose the port: it could give it to another process as soon as it is free.
  const config = loadConfig(["--port", String(await freePort()), ...flags], {});
  const waiting = new Waiting(config, (reason, url) => void told.push({ reason, url }));
  const database = {
    reason: "It is down." as string | undefined,
    detail: undefined as string | undefined,
    tries: 0,
  };
  const made = waiting.until(async () => {
    database.tries++;
    const { reason, detail } = database;
    if (reason !== undefined) throw new LogUnavailable(reason, { detail: detail ?? reason });
    return "made";
  });
  made.catch(() => {});
  return { told, waiting, database, made, port: config.port };
}

/** Runs `work` with a waiting start and always ends it. */
async function whileWaiting(
  work: (it: Awaited<ReturnType<typeof stage>>, client: Client) => Promise<void>,
): Promise<void> {
  const it = await stage();
  const { url } = await until("a start that waits", () => it.told[0]);
  const client = new Client(url);
  try {
    await work(it, client);
  } finally {
    client.close();
    it.database.reason = undefined;
    await it.made;
    await it.waiting.end();
  }
}

const listening = (port: number) =>
  new Promise<Server>((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });

suite("a start that waits for its database", () => {
  test("[CL4] it is alive but not ready, says why, and frees its port for the real server", () =>
    whileWaiting(async ({ told, waiting, database, made }, client) => {
      const [{ url }] = told;
      assert.equal((await client.get("/healthz")).status, 200);
      const unready = await client.get("/readyz");
      assert.equal(unready.status, 503);
      assert.match(String(unready.headers["retry-after"]), /^\d+$/);
      assert.deepEqual(unready.body, { status: "not ready", reason: "It is down." });

      database.reason = undefined;
      assert.equal(await made, "made");
      const { port } = await waiting.end();
      assert.equal(port, Number(new URL(url).port));
      (await listening(port)).close();
    }));

  test("[CL4] each reason is reported once", () =>
    whileWaiting(async ({ told, database }, client) => {
      const tries = (count: number) => {
        const enough = database.tries + count;
        return until("more tries", () => database.tries >= enough);
      };
      await tries(2);
      database.reason = "It is starting.";
      await until("another reason", () => told.length === 2);
      await tries(2);
      assert.deepEqual(
        told.map(({ reason }) => reason),
        ["It is down.", "It is starting."],
      );
      assert.equal((await client.get("/readyz")).body.reason, "It is starting.");
    }));

  test("[CL7] the log names the tried servers, /readyz does not", () =>
    whileWaiting(async ({ told, database }, client) => {
      database.detail = "It is down. one.test:5432: nothing listens there.";
      const { reason } = await until("the detail", () => told[1]);
      assert.equal(reason, database.detail);
      assert.equal((await client.get("/readyz")).body.reason, "It is down.");
    }));

  test("[CL4] [LM1] all other requests are refused with 503, in the envelope, with Retry-After", () =>
    whileWaiting(async ({ told }, client) => {
      const asks: [string, Parameters<Client["call"]>[1]][] = [
        ["/", {}],
        ["/metrics", {}],
        ["/docs", {}],
        ["/nowhere?x=1", {}],
        ["/api/v1/games", { method: "POST", body: { title: "A game" }, token: "a-token", key: "k" }],
        ["/api/v1/games", { method: "POST", rawBody: "{ broken" }],
        ["/api/v1/games", { method: "POST", rawBody: "x".repeat(3_000_000) }],
        ["/api/v1/games", { method: "POST", rawBody: "a", headers: { "content-type": "text/odd" } }],
        ["/api/v1/games/x", { method: "DELETE" }],
        ["/healthz", { method: "POST" }],
      ];
      for (const [path, call] of asks) {
        const answer = await client.call(path, call);
        assertRefused(answer, 503, "log.unavailable", path);
        assert.equal(answer.body.retryable, true);
        assert.equal(answer.headers.connection, "close", "the next request uses a persistent connection");
      }
      assertInvalid(await client.get("/api/%"), "path");
      assert.match(await sayRaw(told[0].url, "nonsense\r\n\r\n"), /^HTTP\/1\.1 400 .*input\.invalid/s);
      await assert.rejects(LiveClient.open(told[0].url));
    }));

  test("[AU7] [CL4] the operators' port is held and freed together with the other", async () => {
    const config = loadConfig(["--port", "0", "--operator-port", String(await freePort())], {});
    const refusal = { code: "log.unavailable", message: "Not yet.", retryable: true } as const;
    const server = await openWaitingServer(config, refusal, () => "It is down.");
    const { operatorPort } = server.ports;
    const client = new Client(`http://127.0.0.1:${operatorPort}`);
    assert.equal((await client.get("/healthz")).status, 200);
    assert.equal((await client.get("/readyz")).body.reason, "It is down.");
    assertRefused(await client.get("/metrics"), 503, "log.unavailable");
    await server.close();
    client.close();
    (await listening(operatorPort!)).close();
  });

  test("[CL4] the port opens during a slow attempt, before it has failed", async () => {
    const told: string[] = [];
    const config = loadConfig(["--port", "0", "--database-url", "postgres://a.test/x"], {});
    const waiting = new Waiting(config, (_, url) => void told.push(url));
    let answer = (_: string): void => {};
    const made = waiting.until(() => new Promise<string>((resolve) => (answer = resolve)));
    await until("a start that waits", () => told.length > 0);
    const client = new Client(told[0]);
    assert.equal((await client.get("/healthz")).status, 200);
    assert.match((await client.get("/readyz")).body.reason, /has not answered yet/);
    client.close();
    answer("at last");
    assert.equal(await made, "at last");
    await waiting.end();
  });

  test("[CL4] a permanent failure ends the wait and frees the port", async () => {
    const it = await stage();
    const { url } = await until("a start that waits", () => it.told[0]);
    const broken = it.waiting.until(async () => {
      throw new LogUnusable("It is of a newer version.");
    });
    await assert.rejects(broken, /newer version/);
    (await listening(Number(new URL(url).port))).close();
    it.database.reason = undefined;
    await it.made;
  });

  test("an unusable data folder fails at once", async () => {
    const it = await stage([]);
    await assert.rejects(it.made, /It is down/);
    assert.deepEqual([it.told, it.database.tries], [[], 1]);
    assert.equal((await it.waiting.end()).port, it.port);
  });
});
