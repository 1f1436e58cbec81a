import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { pino } from "pino";
import { startOpenseat } from "../../src/boot/openseat.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { Hall } from "../arenas/hall.ts";
import { RawClient, requestText } from "../fast-path/raw-client.ts";
import { Club } from "../ladders/club.ts";
import { EventClient } from "../live/clients.ts";
import { Client, metric, until } from "../support/http.ts";
import { serverOfSuite, startServer, type TestServer, tempFolder } from "../support/server.ts";
import { storeFlags } from "../support/store.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";

const idOf = ({ headers }: { headers: Record<string, unknown> }) => headers["x-request-id"];

describe("ids of requests", () => {
  let direct: TestServer;
  let behind: TestServer;
  before(async () => {
    direct = await startServer();
    behind = await startServer([...issuerFlags, "--trust-proxy"]);
  });
  after(() => Promise.all([direct.stop(), behind.stop()]));

  /** A path through Fastify, and one that the fast path answers. */
  const pathsOf = async ({ client }: TestServer) => [
    "/healthz",
    "/nowhere",
    `/api/v1/games/${await client.newGame()}/can-join`,
  ];

  test("[OP3] every response has a unique one, on the fast path too", async () => {
    const { client } = direct;
    const [, , quick] = await pathsOf(direct);
    const before = await metric(client, "openseat_fast_path_answers_total");
    const seen = new Set<unknown>();
    let answers = 0;
    for (const path of ["/healthz", "/nowhere", "/docs", "/", quick, "/api/v1/games", "/wait/none", "/%zz"])
      for (const token of [tokenOf("ann"), undefined]) {
        // A new connection, because the fast path would not see the old one.
        const one = new Client(direct.url);
        const answer = await one.get(path, { token });
        one.close();
        assert.match(String(idOf(answer)), /^[\w-]{16}$/, path);
        seen.add(idOf(answer));
        answers++;
      }
    assert.equal(seen.size, answers);
    assert.equal(await metric(client, "openseat_fast_path_answers_total"), before + 2);
    const events = await EventClient.open(direct.url, await client.newGame());
    assert.match(String(idOf(events.response)), /^[\w-]{16}$/);
    events.close();
  });

  test("[OP3] a well-formed one from a trusted proxy is used; others are not", async () => {
    const given = "0a1b2c3d-4e5f:6.7=8+9/@_";
    for (const path of await pathsOf(behind)) {
      const ask = (id: string) =>
        behind.client.get(path, { token: tokenOf("ann"), headers: { "x-request-id": id } });
      assert.equal(idOf(await ask(given)), given, path);
      assert.equal(idOf(await ask("x".repeat(128))), "x".repeat(128), path);
      for (const odd of ["x".repeat(129), "a b", "a,b", 'a"b', "a<b>", ""])
        assert.match(String(idOf(await ask(odd))), /^[\w-]{16}$/, `${path} ${odd}`);
    }
    for (const path of await pathsOf(direct)) {
      const headers = { "x-request-id": given };
      assert.notEqual(idOf(await direct.client.get(path, { token: tokenOf("ann"), headers })), given, path);
    }
  });

  test("[OP3] on one connection, each of several concurrent requests gets its own", async () => {
    const game = await behind.client.newGame();
    const ask = (id: string) =>
      requestText(`GET /api/v1/games/${game}/can-join`, [
        `Authorization: Bearer ${tokenOf("ann")}`,
        `X-Request-Id: ${id}`,
      ]);
    const raw = await RawClient.open(behind.url);
    raw.send(["one", "two", "three"].map(ask).join(""));
    const last = "GET /healthz HTTP/1.1\r\nHost: test\r\nX-Request-Id: four\r\nConnection: close\r\n\r\n";
    raw.send(last);
    const text = await raw.everything();
    raw.close();
    assert.deepEqual(
      [...text.matchAll(/^x-request-id: (.*)\r$/gm)].map(([, id]) => id),
      ["one", "two", "three", "four"],
    );
  });

  test("[OP3] malformed requests and handshakes have one in the response, too", async () => {
    const upgrade =
      "GET /api/v1/live HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
    const long = `GET /healthz HTTP/1.1\r\nHost: test\r\nX-Long: ${"x".repeat(40_000)}\r\n\r\n`;
    for (const [bytes, status] of [
      ["nonsense\r\n\r\n", 400],
      [long, 431],
      [`${upgrade}\r\n`, 400],
      [`${upgrade}Sec-WebSocket-Key: ${"A".repeat(22)}==\r\nSec-WebSocket-Version: 7\r\n\r\n`, 400],
    ] as const) {
      const raw = await RawClient.open(direct.url);
      raw.send(bytes);
      const text = await raw.everything();
      raw.close();
      assert.match(text, new RegExp(`^HTTP/1.1 ${status} [^]*^x-request-id: [\\w-]{16}\r$`, "m"), text);
      assert.equal(JSON.parse(text.slice(text.indexOf("\r\n\r\n"))).code, "input.invalid");
    }
  });

  test("[OP3] the debug log names the id of each response, with its route", async () => {
    const folder = tempFolder();
    const lines: string[] = [];
    const data = ["--data", folder.path, ...(await storeFlags(folder.path))];
    const config = loadConfig(["--port", "0", "--no-demo", "--log-level", "debug", ...data], {});
    const openseat = await startOpenseat(
      config,
      pino({ level: "debug" }, { write: (line) => void lines.push(line) }),
    );
    const client = new Client(openseat.url);
    const id = idOf(await client.get("/healthz"));
    const logged = await until("the line", () =>
      lines.map((line) => JSON.parse(line)).find(({ reqId }) => reqId === id),
    );
    assert.equal(logged.route, "/healthz");
    client.close();
    await openseat.stop();
    folder.remove();
  });
});

describe("response times and storage sizes", () => {
  const { server } = serverOfSuite();

  const scrape = async () => (await server.client.get("/metrics")).text;
  const readingOf = (text: string, series: string) =>
    Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length) ?? Number.NaN,
    );

  test("[OP3] a histogram per route, by its pattern; the fast path and Fastify count together", async () => {
    const { client } = server;
    for (const person of ["ann", "bob"]) {
      const game = await client.newGame();
      await client.canJoin(game, person);
      // The fast path leaves a target in another spelling to Fastify.
      await client.get(`/api/v1/games/${game}/can-join?`, { token: tokenOf(person) });
    }
    const text = await scrape();
    assert.match(text, /^# TYPE openseat_http_request_seconds histogram$/m);
    const labels = 'method="GET",route="/api/v1/games/:id/can-join"';
    const series = `openseat_http_request_seconds_count{${labels}}`;
    assert.equal(readingOf(text, series), 4);
    assert.equal(readingOf(text, `openseat_http_requests_total{${labels},status="200"}`), 4);
    const buckets = [...text.matchAll(/^openseat_http_request_seconds_bucket\{(.*)\} (\d+)$/gm)]
      .filter(([, own]) => own.includes('"/api/v1/games/:id/can-join"'))
      .map(([, own, count]) => [/le="(.*?)"/.exec(own)![1], Number(count)] as const);
    assert.equal(buckets.length, 13);
    assert.deepEqual(buckets.at(-1), ["+Inf", 4]);
    buckets.reduce((below, [, count]) => {
      assert.ok(count >= below, "buckets are cumulative");
      return count;
    }, 0);
    const sum = readingOf(text, `openseat_http_request_seconds_sum{${labels}}`);
    assert.ok(sum > 0 && sum < 60, String(sum));
    assert.ok(!text.includes("/games/nowhere"), "no address becomes a label");
  });

  test("[OP3] the size of the store, and the number and age of outbox items", async () => {
    const text = await scrape();
    assert.ok(readingOf(text, "openseat_store_bytes") > 0);
    assert.equal(readingOf(text, "openseat_outbox_waiting"), 0);
    assert.equal(readingOf(text, "openseat_outbox_age_seconds"), 0);
    const club = new Club(server);
    const hall = new Hall(server);
    const ladder = await club.newLadder(["ann", "bob"]);
    const { id } = await hall.playing(["ann", "bob"], { ladder });
    const { match } = (await hall.look(id)).state;
    assert.equal((await hall.resign(id, "ann", match.id)).status, 200);
    await until("the delivery", async () => (await club.matches(ladder)).length === 1);
    await until("an empty outbox", async () => readingOf(await scrape(), "openseat_outbox_waiting") === 0);
  });
});
