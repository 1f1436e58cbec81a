import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import Fastify from "fastify";
import type { Subscriber } from "../../src/feed/watch.ts";
import { ConcurrencyLimit } from "../../src/transport/limits/concurrency.ts";
import { identifyAddresses } from "../../src/transport/limits/identify-addresses.ts";
import { eventStreamRoutes } from "../../src/transport/live/event-stream-routes.ts";
import { testAddresses } from "../support/addresses.ts";
import { within } from "../support/http.ts";
import { startServer } from "../support/server.ts";

test("[FD2] an event stream whose reader reads nothing is cut off, and affects nobody else", async () => {
  const app = Fastify();
  identifyAddresses(app, testAddresses());
  let subscriber: Subscriber | undefined;
  let isClosed = false;
  const hub = {
    watch(_stream: string, _lens: unknown, given: Subscriber) {
      subscriber = given;
      return {
        close() {
          isClosed = true;
        },
      };
    },
  };
  const games = { lens: async () => ({}) };
  const entrances = { proverFor: () => undefined } as unknown as Parameters<typeof eventStreamRoutes>[2];
  const watchable = { games, arenas: games, hub } as unknown as Parameters<typeof eventStreamRoutes>[1];
  eventStreamRoutes(app, watchable, entrances, new ConcurrencyLimit({ max: 10, perAddressMax: 10 }));
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as { port: number };
  const reader = connect(port, "127.0.0.1");
  reader.write("GET /api/v1/games/g/events HTTP/1.1\r\nHost: here\r\n\r\n");
  await within("the stream opens", once(reader, "data"));
  reader.pause();
  // More than any socket buffer holds: a graceful end would wait forever.
  const json = "x".repeat(1_000_000);
  for (let version = 1; version <= 20; version++) subscriber!.send({ type: "change", version, json });
  assert.ok(subscriber!.backlogBytes > 1_000_000);
  reader.on("error", () => {});
  subscriber!.drop("You take too little.");
  subscriber!.send({ type: "change", version: 21, json: "{}" });
  reader.resume();
  await within("the reader is cut off", once(reader, "close"));
  assert.ok(isClosed, "the watch is released");
  await app.close();
});

test("[LM2] an upgrade request to another protocol gets a response, and its socket is released", async () => {
  const server = await startServer();
  const { port, hostname } = new URL(server.url);
  const openBefore = await connections(server.app.server);
  for (const path of ["/healthz", "/nope", "/api/v1/games/none"]) {
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    const [answer] = await within(`an answer to ${path}`, once(socket, "data"));
    assert.match(String(answer), /^HTTP\/1\.1 (200|404) /);
    socket.end();
    await within(`${path} is closed`, once(socket, "close"));
  }
  assert.equal(await connections(server.app.server), openBefore);
  await within("the stop", server.stop());
});

type HttpServer = Awaited<ReturnType<typeof startServer>>["app"]["server"];

function connections(server: HttpServer): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}
