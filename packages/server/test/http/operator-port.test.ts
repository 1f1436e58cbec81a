import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, suite, test } from "node:test";
import { Club } from "../ladders/club.ts";
import { LiveClient } from "../live/clients.ts";
import { ChildServer } from "../support/child-server.ts";
import { assertRefused, Client, type Json, within } from "../support/http.ts";
import { freePort } from "../support/ports.ts";
import { startServer, type TestServer, tempFolder } from "../support/server.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";

const operatorFlags = ["--operator-port", "0"];

/** A token for each role, and none. */
const bearersOf = ({ operatorKey, serviceKey }: TestServer) => [
  undefined,
  tokenOf("ann"),
  serviceKey,
  operatorKey,
];

suite("a port for operators", () => {
  let server: TestServer;
  let outside: Client;
  let inside: Client;

  before(async () => {
    server = await startServer([...issuerFlags, ...operatorFlags]);
    outside = server.client;
    inside = new Client(server.operatorUrl!);
  });
  after(async () => {
    inside.close();
    await server.stop();
  });

  /** The method and path of each operator route. */
  async function operatorRoutes(): Promise<[string, string][]> {
    const { paths } = (await outside.get("/openapi.json")).body;
    return Object.entries(paths as Json).flatMap(([path, methods]) =>
      Object.entries(methods as Json)
        .filter(([, operation]) => String((operation as Json)["x-access"]) === "operator")
        .map(([method]): [string, string] => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "1")]),
    );
  }

  test("[AU7] operator routes and the metrics exist only there: on the public port there is nothing", async () => {
    const routes = await operatorRoutes();
    assert.ok(routes.length >= 11, JSON.stringify(routes));
    for (const [method, path] of [...routes, ["GET", "/metrics"]] as const) {
      for (const token of bearersOf(server)) {
        const answer = await outside.call(path, { method, token });
        assertRefused(answer, 404, "route.not-found", `${method} ${path}`);
        assert.equal(answer.body.message, `There is nothing at ${method} ${path}. See /docs.`);
      }
      const { status, body } = await inside.call(path, { method, token: server.operatorKey });
      assert.notEqual(body?.code, "route.not-found", `${method} ${path}`);
      assert.ok(![401, 403].includes(status), `${method} ${path} ${status}`);
    }
    assert.match((await inside.get("/metrics")).text, /openseat_log_flushes_total/);
    assert.equal((await outside.call("/metrics", { method: "HEAD" })).status, 404);
    for (const [method, path] of routes)
      assertRefused(await inside.call(path, { method, token: tokenOf("ann") }), 403, "auth.forbidden");
  });

  test("[AU7] health and everything else are available on both ports", async () => {
    for (const client of [outside, inside]) {
      for (const path of ["/healthz", "/readyz", "/api/v1/games", "/openapi.json"])
        assert.equal((await client.get(path)).status, 200, path);
      const { token } = (await client.post("/api/v1/guests")).body.data;
      for (const each of [token, tokenOf("ann"), server.serviceKey]) {
        const made = await client.post("/api/v1/games", { token: each, body: { title: "G", maxPlayers: 2 } });
        assert.equal(made.status, 201, made.text);
      }
    }
  });

  test("[AU7] the operator's key is refused on the public port in every place, and accepted on the other port", async () => {
    const token = server.operatorKey;
    const game = await outside.newGame();
    const ladder = await new Club(server).newLadder(["ann", "bob"]);
    const asks: [string, Json][] = [
      [`/api/v1/games/${game}/end`, {}],
      // A route that is answered before Fastify sees it.
      [`/api/v1/ladders/${ladder}/matches`, { body: { players: ["ann", "bob"], scores: [1, 0] } }],
    ];
    for (const [path, call] of asks) {
      const refused = await outside.post(path, { token, ...call });
      assertRefused(refused, 403, "auth.forbidden", path);
      assert.match(refused.body.message, /operator port/);
      const done = await inside.post(path, { token, ...call });
      assert.ok(done.status < 300, done.text);
    }
    assertRefused(await outside.get("/api/v1/games", { token }), 403, "auth.forbidden");
    assertRefused(await outside.get("/api/v1/games", { token: `${token}x` }), 401, "auth.invalid");
  });

  test("[AU7] the same over a live connection: on opening, on authentication, and with each message", async () => {
    const token = server.operatorKey;
    const game = await outside.newGame();
    await assert.rejects(LiveClient.open(server.url, { token }), /403/);
    const live = await LiveClient.open(server.url);
    const join = { type: "join", game, token };
    for (const message of [{ type: "auth", token }, join]) {
      const { status, body } = await live.ask(message);
      assert.deepEqual([status, body.code], [403, "auth.forbidden"]);
      assert.match(body.message, /operator port/);
    }
    live.close();

    const other = await LiveClient.open(server.operatorUrl!);
    assert.equal((await other.ask({ type: "auth", token })).body.data.role, "operator");
    assert.match((await other.ask(join)).body.message, /requires a person/);
    assert.equal((await other.ask({ type: "watch", game })).status, 200);
    other.close();
    (await LiveClient.open(server.operatorUrl!, { token })).close();
  });

  test("[AU7] no request header makes a client an operator", async () => {
    const { host } = new URL(server.operatorUrl!);
    for (const headers of [
      { host },
      { "x-forwarded-host": host },
      { "x-forwarded-port": new URL(server.operatorUrl!).port },
    ])
      assertRefused(await outside.get("/metrics", { headers }), 404, "route.not-found");
  });
});

suite("the operators' port and the process", () => {
  test("[AU7] a shutdown releases both ports, also with idle connections open", async () => {
    const server = await startServer([...issuerFlags, "--operator-port", String(await freePort())]);
    const { port } = new URL(server.operatorUrl!);
    const live = await LiveClient.open(server.operatorUrl!);
    const inside = new Client(server.operatorUrl!);
    assert.equal((await inside.get("/healthz")).status, 200);
    const silent = connect(Number(port), "127.0.0.1");
    const gone = new Promise((resolve) => silent.once("close", resolve));
    await new Promise((resolve) => silent.once("connect", resolve));
    silent.on("error", () => {});
    await within("the stop", server.stop());
    await within("the end of the connection", gone);
    inside.close();
    live.close();
    const refused = connect(Number(port), "127.0.0.1");
    const { code } = await new Promise<NodeJS.ErrnoException>((resolve) => refused.once("error", resolve));
    assert.equal(code, "ECONNREFUSED");
  });

  test("[AU7] a start prints its address, on the screen and in the log", async () => {
    const folder = tempFolder();
    const server = await ChildServer.start(["--data", folder.path, ...operatorFlags]);
    try {
      const [, url] = /Operators and metrics are at (http:\S+)\n/.exec(server.stderr)!;
      assert.equal((await fetch(`${url}/metrics`)).status, 200);
      assert.equal((await fetch(`${server.url}/metrics`)).status, 404);
      const [line] = server.stdout.split("\n").filter((text) => text.includes('"msg":"listening"'));
      assert.equal(new URL(JSON.parse(line).operatorUrl).port, new URL(url).port);
    } finally {
      await server.kill();
      folder.remove();
    }
  });
});
