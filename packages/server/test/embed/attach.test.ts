import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { buildPages } from "@openseat/web/build";
import { WebSocket, WebSocketServer } from "ws";
import { type Openseat, operator } from "../../src/embed/index.ts";
import { RawClient, requestText } from "../fast-path/raw-client.ts";
import { EventClient, LiveClient } from "../live/clients.ts";
import { Browser, stateIn } from "../support/browser.ts";
import { assertRefused, sayRaw, until, within } from "../support/http.ts";
import { StreamClient } from "../wait/stream-client.ts";
import { HostServer, openseatOn, tempFolder } from "./stage.ts";

const prefix = "/seats";

describe("an Openseat attached to a node:http server", () => {
  const folder = tempFolder();
  let host: HostServer;
  let sockets: WebSocketServer;
  let openseat: Openseat;
  let game: string;

  before(async () => {
    await buildPages();
    host = await HostServer.start();
    openseat = await openseatOn(folder);
    openseat.attach(host.server, { prefix });
    assertRefused(
      await host.client.get(`${prefix}/api/v1/games`),
      503,
      "log.unavailable",
      "before the start",
    );
    // After it was attached: its listener gets upgrades too, and answers those that it does not know with 400.
    sockets = new WebSocketServer({ server: host.server, path: "/chat" });
    sockets.on("connection", (socket) => socket.send("the host's own"));
    await openseat.start();
    const made = await openseat.app.games.create("ann", { title: "A game", maxPlayers: 2 });
    assert.ok(made.value);
    game = made.value.game.id;
    const shop = { id: "shop", title: "Shop", maxActive: 1, returnAddresses: ["/"] };
    assert.ok((await openseat.app.queues.create(operator, shop)).value);
  });
  after(async () => {
    sockets.close();
    await openseat.stop();
    await host.stop();
    folder.remove();
  });

  test("[OP5] requests below the prefix are Openseat's, all others the application's", async () => {
    assert.equal(openseat.url, host.url.replace("127.0.0.1", "localhost") + prefix);
    for (const path of ["", "/", "?from=mail", "/docs", "/healthz", "/readyz", `/games/${game}`])
      assert.equal((await host.client.get(prefix + path)).status, 200, path);
    assertRefused(await host.client.get(`${prefix}/nowhere`), 404, "route.not-found");
    for (const path of ["/", "/healthz", "/api/v1/games", "/seatsmap", "/more/seats/"])
      assert.equal((await host.client.get(path)).text, `the host has ${path}`);
  });

  test("[OP5] pages, redirects, cookies and addresses of new rooms are below the prefix", async () => {
    const { text } = await host.client.get(`${prefix}/`);
    const files = [...text.matchAll(/(?:src|href)="(?!data:)([^"]*)"/g)].map(([, file]) => file);
    assert.ok(files.length >= 3, text);
    for (const file of files) {
      assert.ok(file.startsWith(`${prefix}/`), file);
      assert.equal((await host.client.get(file)).status, 200, file);
    }
    const { token } = (await host.client.post(`${prefix}/api/v1/guests`)).body.data;
    const made = await host.client.post(`${prefix}/api/v1/games`, {
      token,
      body: { title: "Another", maxPlayers: 2 },
    });
    assert.equal(made.headers.location, `${prefix}/api/v1/games/${made.body.data.game.id}`);
    assert.deepEqual((await host.client.get(`${prefix}/openapi.json`)).body.servers, [{ url: prefix }]);
    const gate = await host.client.get(`${prefix}/gate/shop`);
    assert.equal(gate.headers["openseat-wait"], `${prefix}/wait/shop`);
  });

  test("[OP5] the waiting page works below the prefix", async () => {
    const [ann, bob] = [new Browser(host.url), new Browser(host.url)];
    const first = await ann.get(`${prefix}/wait/shop?return=%2Fcart`);
    assert.equal(first.headers.location, `${prefix}/wait/shop/go?return=%2Fcart`);
    assert.equal(ann.cookie("openseat_guest")?.path, prefix);
    assert.equal((await ann.get(first.headers.location!)).headers.location, "/cart");
    const waiting = await bob.get(`${prefix}/wait/shop`);
    assert.equal(stateIn(waiting).status, "waiting");
    const stream = await StreamClient.open(host.url, bob, "shop", prefix);
    assert.equal((await stream.first("state")).position, 1);
    stream.close();
    const left = await bob.post(`${prefix}/wait/shop/leave`, { form: {} });
    assert.equal(left.headers.location, `${prefix}/wait/shop`);
    for (const browser of [ann, bob]) browser.close();
  });

  test("[OP5] WebSockets below the prefix are Openseat's, and those of another library are its own", async () => {
    const live = await LiveClient.open(host.url + prefix);
    assert.equal((await live.ask({ type: "watch", game })).status, 200);
    live.close();
    const chat = new WebSocket(`${host.url.replace("http", "ws")}/chat`);
    const [said] = await within("a message of the host", once(chat, "message"));
    assert.equal(String(said), "the host's own");
    chat.close();
    // No socket is left without an answer.
    assert.match(await sayRaw(host.url, upgradeTo(`${prefix}/nowhere`), isAnswered), /^HTTP\/1\.1 404 /);
    assert.match(await sayRaw(host.url, upgradeTo("/nowhere"), isAnswered), /^HTTP\/1\.1 400 /);
  });

  test("[OP5] an application without WebSockets still answers requests for an upgrade as ordinary ones", async () => {
    const plain = await HostServer.start();
    const other = await openseatOn(tempFolder());
    other.attach(plain.server, { prefix });
    const answer = await sayRaw(plain.url, upgradeTo("/here", "h2c"), (heard) => heard.includes("has /here"));
    assert.match(answer, /^HTTP\/1\.1 200 OK.*the host has \/here/s);
    await other.stop();
    await plain.stop();
  });

  test("[OP5] [LM5] requests for an upgrade that is not made leave no socket behind", async () => {
    const connections = () =>
      new Promise<number>((resolve) => host.server.getConnections((_, count) => resolve(count)));
    host.server.closeIdleConnections();
    await until("no other connection", async () => (await connections()) === 0);
    const headers = [
      ...["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ];
    const ready = requestText(`GET ${prefix}/readyz`);
    for (const bytes of [
      requestText(`POST ${prefix}/api/v1/live`, headers),
      requestText(`OPTIONS ${prefix}/api/v1/live`, headers),
      ready + requestText(`GET ${prefix}/api/v1/live`, headers),
      ready + ready + requestText(`GET ${prefix}/api/v1/live`, headers),
    ]) {
      const raw = await RawClient.open(host.url);
      raw.send(bytes);
      await raw.answer();
      raw.close();
    }
    await until("every connection to be closed", async () => (await connections()) === 0);
  });

  test("[OP5] event streams arrive below the prefix", async () => {
    const events = await EventClient.open(host.url + prefix, game);
    await events.at(1);
    events.close();
  });
});

describe("stopping an attached Openseat", () => {
  test("[OP5] open streams and WebSockets end, the application keeps running, and another takes its place on the same data", async () => {
    const folder = tempFolder();
    const host = await HostServer.start();
    const first = await openseatOn(folder);
    first.attach(host.server, { prefix });
    await first.start();
    const made = await first.app.games.create("ann", { title: "A game", maxPlayers: 2 });
    assert.ok(made.value);
    const game = `${prefix}/api/v1/games/${made.value.game.id}`;
    const events = await EventClient.open(host.url + prefix, made.value.game.id);
    const live = await LiveClient.open(host.url + prefix);
    const closed = once(live.socket, "close");

    await within("the stop", first.stop());
    await within("the end of the WebSocket", closed);
    assert.equal((await host.client.get(game)).text, `the host has ${game}`);
    events.close();

    const second = await openseatOn(folder);
    second.attach(host.server, { prefix });
    await second.start();
    assert.equal((await host.client.get(game)).body.data.game.title, "A game");
    await second.stop();
    await host.stop();
    folder.remove();
  });

  test("[OP5] a public URL with a longer path leads through a proxy that removes its beginning", async () => {
    const folder = tempFolder();
    const host = await HostServer.start();
    const openseat = await openseatOn(folder, { publicUrl: `https://example.test/shop${prefix}` });
    openseat.attach(host.server, { prefix });
    await openseat.start();
    assert.equal(openseat.url, `https://example.test/shop${prefix}`);
    const { token } = (await host.client.post(`${prefix}/api/v1/guests`)).body.data;
    const body = { title: "A game", maxPlayers: 2 };
    const made = await host.client.post(`${prefix}/api/v1/games`, { token, body });
    assert.match(String(made.headers.location), /^\/shop\/seats\/api\/v1\/games\//);
    await openseat.stop();
    await host.stop();
    folder.remove();
  });

  test("[OP5] operators may have a port of their own, and then metrics are not below the prefix", async () => {
    const folder = tempFolder();
    const host = await HostServer.start();
    const openseat = await openseatOn(folder, { operatorPort: 0 });
    openseat.attach(host.server, { prefix });
    await openseat.start();
    assertRefused(await host.client.get(`${prefix}/metrics`), 404, "route.not-found");
    const metrics = await fetch(`${openseat.operatorUrl}/metrics`);
    assert.match(await metrics.text(), /^openseat_build_info\{version="[\d.]+",node="[\d.]+"\} 1$/m);
    await within("the stop", openseat.stop());
    await host.stop();
    folder.remove();
  });
});

const isAnswered = (heard: string) => heard.includes("\r\n\r\n");

function upgradeTo(path: string, protocol = "websocket"): string {
  const key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
  return `GET ${path} HTTP/1.1\r\nHost: host\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${key}\r\n\r\n`;
}

function once(socket: WebSocket, event: string): Promise<unknown[]> {
  return new Promise((resolve) => socket.once(event, (...given: unknown[]) => resolve(given)));
}
