import assert from "node:assert/strict";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { suite, test } from "node:test";
import { pino } from "pino";
import { startOpenseat } from "../../src/boot/openseat.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { EventClient, LiveClient } from "../live/clients.ts";
import { assertRefused, Client, metric, range, until, within } from "../support/http.ts";
import { startServer, type TestServer, tempFolder } from "../support/server.ts";
import { stillClock } from "../support/skewed-clock.ts";
import { dropDatabaseOf, storeFlags } from "../support/store.ts";
import { issuerFlags } from "../support/tokens.ts";

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

const liveConnections = (client: Client) => metric(client, "openseat_live_connections");

suite("limits", () => {
  test("[LM2] an address creates and renames a maximum number of guests; then 429 with Retry-After", async () => {
    await withServer(["--guests-per-address-max", "2"], async ({ client }) => {
      const { token } = (await client.post("/api/v1/guests")).body.data;
      const rename = () =>
        client.call("/api/v1/guests/me", { method: "PATCH", token, body: { name: "Ann" } });
      assert.equal((await rename()).status, 200);
      for (const refused of [await rename(), await client.post("/api/v1/guests")]) {
        assertRefused(refused, 429, "limit.address");
        assert.deepEqual([refused.body.retryable, refused.headers["retry-after"]], [true, "30"]);
      }
      assert.equal((await client.get("/api/v1/games")).status, 200);
    });
    await withServer(["--guests-per-address-max", "0"], async ({ client }) => {
      const refused = await client.post("/api/v1/guests");
      assertRefused(refused, 429, "limit.address");
      assert.match(refused.body.message, /in 60 minutes/);
      assert.equal(refused.headers["retry-after"], "3600");
    });
  });

  test("[LM2] X-Forwarded-For counts only behind a trusted proxy", async () => {
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
    await withServer(["--guests-per-address-max", "1"], async ({ client }) => {
      assert.equal((await client.post("/api/v1/guests", from("192.0.2.1"))).status, 201);
      assertRefused(await client.post("/api/v1/guests", from("192.0.2.2")), 429, "limit.address");
    });
    await withServer(["--guests-per-address-max", "1", "--trust-proxy"], async ({ client }) => {
      assert.equal((await client.post("/api/v1/guests", from("192.0.2.1"))).status, 201);
      assert.equal((await client.post("/api/v1/guests", from("192.0.2.2"))).status, 201);
      assertRefused(await client.post("/api/v1/guests", from("192.0.2.2")), 429, "limit.address");
    });
  });

  test("[LM2] an untrusted proxy is named in the log, once, with the setting to use", async () => {
    const folder = tempFolder();
    const lines: string[] = [];
    const data = join(folder.path, "data");
    const flags = ["--port", "0", "--data", data, "--no-demo", ...(await storeFlags(data)), ...issuerFlags];
    const logger = pino({ level: "warn" }, { write: (line) => void lines.push(line) });
    const openseat = await startOpenseat(loadConfig(flags, {}), logger);
    const client = new Client(openseat.url);
    const warned = () => lines.map((line) => JSON.parse(line)).filter((it) => it.proxy !== undefined);
    try {
      await client.get("/api/v1/games");
      assert.deepEqual(warned(), []);
      for (const _ of range(3))
        await client.post("/api/v1/guests", { headers: { "x-forwarded-for": "192.0.2.1" } });
      const [{ proxy, msg }, ...others] = warned();
      assert.deepEqual(others, []);
      assert.match(proxy, /127\.0\.0\.1$/);
      assert.match(msg, /^a proxy that is not trusted.* Set --trust-proxy$/);
    } finally {
      client.close();
      await openseat.stop();
      await dropDatabaseOf(data);
      folder.remove();
    }
  });

  test("[LM2] live connections of both kinds from an address share a limit; closing one makes room", () =>
    withServer(["--live-per-address-max", "2"], async ({ client, url }) => {
      const game = await client.newGame();
      const socket = await LiveClient.open(url);
      const events = await EventClient.open(url, game);
      await assert.rejects(LiveClient.open(url), /429/);
      assertRefused(await client.get(`/api/v1/games/${game}/events`), 429, "limit.address");
      socket.close();
      await until("room for another", async () => (await liveConnections(client)) === 1);
      const next = await EventClient.open(url, game);
      next.close();
      events.close();
      await until("no live connection", async () => (await liveConnections(client)) === 0);
    }));

  test("[LM2] live connections have a total limit: 503 with Retry-After", () =>
    withServer(["--live-max", "1"], async ({ client, url }) => {
      const game = await client.newGame();
      const socket = await LiveClient.open(url);
      await assert.rejects(LiveClient.open(url), /503/);
      const refused = await client.get(`/api/v1/games/${game}/events`);
      assertRefused(refused, 503, "server.busy");
      assert.equal(refused.body.retryable, true);
      socket.close();
    }));

  test("[LM2] a request that opens no live connection takes no place", () =>
    withServer(["--live-per-address-max", "2"], async ({ client, url }) => {
      const game = await client.newGame();
      for (const _ of range(5)) {
        assertRefused(await client.get("/api/v1/games/nowhere/events"), 404, "room.not-found");
        assertRefused(await client.get("/api/v1/live"), 400, "input.invalid");
      }
      assert.equal(await liveConnections(client), 0);
      const events = await EventClient.open(url, game);
      events.close();
    }));

  test("[LM2] watchers who disconnect early leave nothing behind", () =>
    withServer([], async ({ client, url }) => {
      const games = await Promise.all(range(40).map(() => client.newGame()));
      const agent = new Agent({ keepAlive: false });
      const joins: Promise<unknown>[] = [];
      for (const round of range(12)) {
        await Promise.all(
          games.map(async (game) => {
            // A join that is being written: reads of the game have to wait for it.
            joins.push(client.join(game, `p${round}`));
            const asking = get(`${url}/api/v1/games/${game}/events`, { agent });
            asking.on("error", () => {});
            const connected = new Promise((resolve) =>
              asking.on("socket", (socket) => socket.on("connect", resolve)),
            );
            await within("a connection", connected);
            setImmediate(() => asking.destroy());
          }),
        );
      }
      await Promise.all(joins);
      agent.destroy();
      await until("nobody watching", async () => (await metric(client, "openseat_watches")) === 0);
      await until("no live connection", async () => (await liveConnections(client)) === 0);
    }));

  test("[LM2] connections beyond the limit are closed, and open ones continue", () =>
    withServer(["--connections-max", "2"], async ({ url, client }) => {
      assert.equal((await client.get("/healthz")).status, 200);
      const first = await LiveClient.open(url);
      await assert.rejects(LiveClient.open(url));
      assert.equal((await first.ask({ type: "ping" })).status, 200);
      assert.equal((await client.get("/healthz")).status, 200);
      first.close();
    }));
});
