import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import websocket from "@fastify/websocket";
import Fastify, { type FastifyInstance } from "fastify";
import { WebSocket } from "ws";
import { ConfigError, type Openseat } from "../../src/embed/index.ts";
import { EventClient, LiveClient } from "../live/clients.ts";
import { assertRefused, Client, within } from "../support/http.ts";
import { openseatOn, tempFolder } from "./stage.ts";

/** How long a stop waits for responses that nobody ends. */
const lingerMsMax = 5_000;

describe("an Openseat as a plugin of Fastify", () => {
  const folder = tempFolder();
  const seen: string[] = [];
  let host: FastifyInstance;
  let openseat: Openseat;
  let url: string;
  let client: Client;

  before(async () => {
    openseat = await openseatOn(folder);
    host = Fastify();
    host.addHook("onRequest", async ({ url }) => void seen.push(url));
    await host.register(websocket);
    host.get("/mine", async () => "mine");
    await host.register(async (scope) => {
      scope.get("/echo", { websocket: true }, (socket) => socket.send("the host's own"));
    });
    await host.register(openseat.plugin, { prefix: "/seats" });
    url = await host.listen({ port: 0, host: "127.0.0.1" });
    client = new Client(url);
  });
  after(async () => {
    client.close();
    await host.close();
    folder.remove();
  });

  test("[OP5] it has started with the application, which keeps its own routes", async () => {
    assert.equal(openseat.url, `${url.replace("127.0.0.1", "localhost")}/seats`);
    assert.equal((await client.get("/mine")).text, "mine");
    for (const path of ["/seats/healthz", "/seats/readyz", "/seats/api/v1/games"])
      assert.equal((await client.get(path)).status, 200, path);
    assertRefused(await client.get("/seats/nowhere"), 404, "route.not-found");
    assert.equal((await client.get("/nowhere")).body.error, "Not Found");
  });

  test("[OP5] bodies arrive, and the application's hooks see the requests", async () => {
    const named = await client.post("/seats/api/v1/guests", { body: { name: "Zoe" } });
    assert.equal(named.body.data.person.name, "Zoe");
    assert.ok(seen.includes("/seats/api/v1/guests"));
    assertRefused(await client.post("/seats/api/v1/guests", { rawBody: "{ broken" }), 400, "input.invalid");
    assert.deepEqual((await host.inject("/seats/healthz")).json(), { status: "ok" });
  });

  test("[OP5] WebSockets of both work", async () => {
    const live = await LiveClient.open(`${url}/seats`);
    live.close();
    const echo = new WebSocket(`${url.replace("http", "ws")}/echo`);
    const said = new Promise((resolve) => echo.once("message", (data) => resolve(String(data))));
    assert.equal(await within("a message of the host", said), "the host's own");
    echo.close();
  });

  test("[OP5] it stops when the application closes, also with an open stream", async () => {
    const other = tempFolder();
    const inner = await openseatOn(other);
    const outer = Fastify();
    await outer.register(inner.plugin, { prefix: "/seats" });
    const at = await outer.listen({ port: 0, host: "127.0.0.1" });
    const made = await inner.app.games.create("ann", { title: "A game", maxPlayers: 2 });
    assert.ok(made.value);
    const events = await EventClient.open(`${at}/seats`, made.value.game.id);
    await events.at(1);
    await within("the end of the application", outer.close());
    events.close();
    // The data is free again.
    const next = await openseatOn(other, { port: 0 });
    await next.start();
    await next.stop();
    other.remove();
  });

  test("[OP5] a client that leaves during a slow hook does not delay the stop", async (it) => {
    const other = tempFolder();
    const inner = await openseatOn(other);
    const outer = Fastify();
    it.after(async () => {
      await outer.close();
      other.remove();
    });
    const gone = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const passed = Promise.withResolvers<void>();
    outer.addHook("onRequest", async (_request, { raw }) => {
      raw.once("close", gone.resolve);
      asked.resolve();
      await gone.promise;
      setImmediate(passed.resolve);
    });
    await outer.register(inner.plugin, { prefix: "/seats" });
    const at = await outer.listen({ port: 0, host: "127.0.0.1" });
    const leaving = new AbortController();
    const left = fetch(`${at}/seats/api/v1/games`, { signal: leaving.signal });
    await within("the hook", asked.promise);
    leaving.abort();
    await assert.rejects(left, { name: "AbortError" });
    await within("the end of the hook", passed.promise);
    const begun = performance.now();
    await inner.stop();
    const lasted = performance.now() - begun;
    assert.ok(lasted < lingerMsMax, `the stop took ${lasted} ms`);
  });

  test("[OP5] without a prefix it is refused", async () => {
    const outer = Fastify();
    const inner = await openseatOn(tempFolder());
    await assert.rejects(
      async () => outer.register(inner.plugin),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, /^prefix must be a path such as \/seats/);
        return true;
      },
    );
  });
});
