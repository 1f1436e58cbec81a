import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { type Pages, readPages } from "@openseat/web";
import { buildPages } from "@openseat/web/build";
import Fastify, { type FastifyInstance } from "fastify";
import { pageRoutes } from "../../src/transport/pages/page-routes.ts";
import { assertRefused } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";

const addresses = [
  ...["/", "/games/any", "/arenas/any", "/arenas/any/matches/7"],
  ...["/ladders/any", "/ladders/any/players/ann"],
];

/** Every room exists. */
const anyRoom = async () => ({ value: {} });

describe("the pages as served", () => {
  let server: TestServer;
  let pages: Pages;
  let game: string;
  before(async () => {
    pages = readPages({ folder: await buildPages() })!;
    server = await startServer([]);
    const { client, operatorKey: token } = server;
    const arena = { id: "any", title: "Any", game: "tic-tac-toe" };
    await client.post("/api/v1/arenas", { token, body: arena });
    await client.post("/api/v1/ladders", { token, body: { id: "any", title: "Any" } });
    game = (await client.post("/api/v1/games", { token, body: { title: "Any", maxPlayers: 2 } })).body.data
      .game.id;
  });
  after(() => server.stop());

  for (const address of addresses)
    test(`${address} serves the same document, always revalidated, under a strict policy`, async () => {
      const { status, headers, text } = await server.client.get(
        address.replace("games/any", `games/${game}`),
      );
      assert.equal(status, 200);
      assert.equal(text, pages.document.body.toString());
      assert.equal(headers["content-type"], "text/html; charset=utf-8");
      assert.equal(headers["cache-control"], "no-cache");
      assert.equal(headers["x-content-type-options"], "nosniff");
      const policy = String(headers["content-security-policy"]);
      assert.match(
        policy,
        /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ws:/,
      );
      assert.doesNotMatch(policy, /unsafe|\*/);
    });

  test("the policy allows live connections to this host, and a strange Host header adds nothing to it", async () => {
    const policyFor = async (host: string) =>
      String((await server.client.get("/", { headers: { host } })).headers["content-security-policy"]);
    const policy = await policyFor("games.example:8080");
    assert.match(policy, /connect-src 'self' ws:\/\/games\.example:8080 wss:\/\/games\.example:8080;/);
    for (const host of ["evil.example;script-src *", "a b", "*"])
      assert.match(await policyFor(host), /connect-src 'self'; img-src/, host);
  });

  test("script and style are cached forever, and compressed for clients that accept it", async () => {
    for (const [name, { type, body }] of pages.assets) {
      const plain = await fetch(`${server.url}/assets/${name}`, {
        headers: { "accept-encoding": "identity" },
      });
      assert.equal(plain.headers.get("content-type"), type);
      assert.equal(plain.headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.equal(plain.headers.get("content-encoding"), null);
      assert.equal(plain.headers.get("vary"), "accept-encoding");
      assert.equal(Buffer.from(await plain.arrayBuffer()).compare(body), 0);
      const answer = await server.app.inject({
        url: `/assets/${name}`,
        headers: { "accept-encoding": "gzip" },
      });
      assert.equal(answer.headers["content-encoding"], "gzip");
      assert.equal(gunzipSync(answer.rawPayload).compare(body), 0);
    }
  });

  test("[HT7] a browser gets the page with 404 at an unknown address, and at that of an unknown room", async () => {
    const headers = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const rooms = ["/games/nope", "/games/a%20b", "/arenas/nope", "/arenas/nope/matches/7", "/ladders/nope"];
    for (const address of ["/nope", "/games", "/assets/none.js", ...rooms, "/ladders/nope/players/ann"]) {
      const answer = await server.client.get(address, { headers });
      assert.equal(answer.status, 404, address);
      assert.equal(answer.text, pages.document.body.toString(), address);
      assert.equal(answer.headers["content-type"], "text/html; charset=utf-8", address);
      assert.match(String(answer.headers["content-security-policy"]), /^default-src 'none'/, address);
    }
    const again = { ...headers, "if-none-match": String((await server.client.get("/")).headers.etag) };
    assert.equal((await server.client.get("/", { headers: again })).status, 304);
    assert.equal(
      (await server.client.get("/games/nope", { headers: again })).status,
      404,
      "a 404 is not treated as unchanged",
    );
  });

  test("[HT7] a program gets a refusal at an unknown address, and so do other methods", async () => {
    for (const accept of ["*/*", "application/json", "text/html;q=0, */*"])
      assertRefused(
        await server.client.get("/nope", { headers: { accept } }),
        404,
        "route.not-found",
        accept,
      );
    const post = await server.client.post("/nope", { headers: { accept: "text/html" } });
    assertRefused(post, 404, "route.not-found");
  });

  test("an unknown asset is not found, whatever its name", async () => {
    for (const name of ["none.js", "..%2findex.html", "..%2f..%2fpackage.json", "index.html"])
      assertRefused(await server.client.get(`/assets/${name}`), 404, "route.not-found", name);
  });
});

describe("without a build", () => {
  let app: FastifyInstance;
  before(() => {
    app = Fastify();
    pageRoutes(app, { games: anyRoom, arenas: anyRoom, ladders: anyRoom }, undefined);
  });
  after(() => app.close());

  test("each address explains how to build the pages", async () => {
    for (const url of addresses) {
      const { statusCode, headers, body } = await app.inject({ url });
      assert.equal(statusCode, 503);
      assert.equal(headers["content-type"], "text/plain; charset=utf-8");
      assert.match(body, /not been built.*npm start.*npm run build/);
    }
    assert.equal((await app.inject({ url: "/assets/index.js" })).statusCode, 404);
  });
});
