import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { WebSocket } from "ws";
import { allowedOrigins } from "../../src/config/allowed-origins.ts";
import { RawClient, requestText } from "../fast-path/raw-client.ts";
import { assertRefused, metric } from "../support/http.ts";
import { serverOfSuite, type TestServer } from "../support/server.ts";
import { issuerFlags, tokenOf } from "../support/tokens.ts";

const shop = "https://shop.example";
const evil = "https://evil.example";
const exposed = "Retry-After, Idempotent-Replayed, Location, ETag, X-Request-Id";

/** The response status of a WebSocket from this origin. */
function opened({ url }: TestServer, origin?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/v1/live`, origin ? { origin } : {});
    socket.on("open", () => {
      socket.terminate();
      resolve(101);
    });
    socket.on("unexpected-response", (_request, response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    socket.on("error", reject);
  });
}

/** The complete responses to a request, from the fast path and through Fastify. */
async function bothWays(server: TestServer, request: string): Promise<[string, string]> {
  const last = "GET /healthz HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
  const received = async (bytes: string) => {
    const client = await RawClient.open(server.url);
    client.send(bytes + last);
    return (await client.rest()).replaceAll(/^Date: .*\r\n/gm, "");
  };
  return [await received(request), await received(`\r\n${request}`)];
}

const canJoin = (game: string, ...headers: string[]) =>
  requestText(`GET /api/v1/games/${game}/can-join`, [`Authorization: Bearer ${tokenOf("ann")}`, ...headers]);

describe("pages of other sites", () => {
  describe("without allowedOrigins", () => {
    const { server } = serverOfSuite();

    test("[HT5] responses have no CORS headers, and nothing depends on the origin", async () => {
      const game = await server.client.newGame();
      const headers = { origin: shop, "access-control-request-method": "POST" };
      for (const method of ["GET", "OPTIONS"]) {
        const answer = await server.client.call(`/api/v1/games/${game}`, { method, headers });
        const names = Object.keys(answer.headers).filter((name) => /^access-control|^vary$/.test(name));
        assert.deepEqual(names, [], method);
      }
      assert.equal(await opened(server, evil), 101);
      const before = await metric(server.client, "openseat_fast_path_answers_total");
      const [quick, usual] = await bothWays(server, canJoin(game, `Origin: ${shop}`));
      assert.equal(quick, usual);
      assert.equal(await metric(server.client, "openseat_fast_path_answers_total"), before + 1);
    });
  });

  describe("with a list", () => {
    const { server } = serverOfSuite([...issuerFlags, "--allowed-origins", `${shop}, http://localhost:3000`]);
    let game: string;
    before(async () => {
      game = await server.client.newGame();
    });

    const from = (origin: string, path: string, method = "GET", more = {}) =>
      server.client.call(path, { method, headers: { origin, ...more } });

    test("[HT5] pages of a listed site may read responses with their headers, and refusals", async () => {
      for (const path of [
        `/api/v1/games/${game}`,
        "/api/v1/games/none",
        "/api/v1/people/me",
        "/openapi.json",
      ]) {
        const { headers } = await from(shop, path);
        assert.equal(headers["access-control-allow-origin"], shop, path);
        assert.equal(headers["access-control-expose-headers"], exposed, path);
        assert.match(String(headers.vary), /^Origin/, path);
        assert.equal(headers["access-control-allow-credentials"], undefined, path);
      }
      const stream = await fetch(`${server.url}/api/v1/games/${game}/events`, { headers: { origin: shop } });
      assert.equal(stream.headers.get("access-control-allow-origin"), shop);
      await stream.body!.cancel();
    });

    test("[HT5] pages of another site may not, but every response varies by origin", async () => {
      for (const origin of [evil, "null", `${shop}.evil.example`, "http://shop.example"]) {
        const { headers } = await from(origin, `/api/v1/games/${game}`);
        assert.deepEqual(
          [headers["access-control-allow-origin"], headers.vary],
          [undefined, "Origin"],
          origin,
        );
      }
      assert.equal((await server.client.get(`/api/v1/games/${game}`)).headers.vary, "Origin");
      assert.equal((await from(shop, "/healthz")).headers["access-control-allow-origin"], undefined);
    });

    test("[HT5] a preflight is answered without a token, and cached for two hours", async () => {
      const asks = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      };
      const answer = await from(shop, `/api/v1/games/${game}/join`, "OPTIONS", asks);
      assert.deepEqual([answer.status, answer.text], [204, ""]);
      const { headers } = answer;
      assert.equal(headers["access-control-allow-origin"], shop);
      assert.equal(headers["access-control-max-age"], "7200");
      assert.match(String(headers["access-control-allow-methods"]), /\bPOST\b.*\bDELETE\b/);
      assert.match(String(headers["access-control-allow-headers"]), /Authorization, .*Idempotency-Key/);
      const refused = await from(evil, `/api/v1/games/${game}/join`, "OPTIONS", asks);
      assert.equal(refused.headers["access-control-allow-methods"], undefined);
      assert.equal(refused.headers["access-control-allow-origin"], undefined);
    });

    test("[HT5] a WebSocket is opened for listed sites, for this site, and for programs without an origin", async () => {
      assert.equal(await opened(server, shop), 101);
      assert.equal(await opened(server, server.url), 101);
      assert.equal(await opened(server), 101);
      assert.equal(await opened(server, evil), 403);
      assert.equal(await opened(server, "null"), 403);
      const plain = await from(evil, "/api/v1/live");
      assertRefused(plain, 403, "origin.not-allowed");
    });

    test("[HT5] the fast path responds as Fastify does", async () => {
      const answered = () => metric(server.client, "openseat_fast_path_answers_total");
      const before = await answered();
      for (const origin of [undefined, evil, shop]) {
        const headers = origin === undefined ? [] : [`Origin: ${origin}`];
        const [quick, usual] = await bothWays(server, canJoin(game, ...headers));
        assert.equal(quick, usual, String(origin));
        assert.match(quick, /^vary: Origin\r$/m);
        assert.equal(
          /^access-control-allow-origin: https:\/\/shop\.example\r$/m.test(quick),
          origin === shop,
        );
      }
      assert.equal(await answered(), before + 3);
      const twice = await bothWays(server, canJoin(game, `Origin: ${evil}`, `Origin: ${shop}`));
      assert.equal(twice[0], twice[1]);
    });
  });

  describe("with *", () => {
    const { server } = serverOfSuite([...issuerFlags, "--allowed-origins", "*"]);

    test("[HT5] every API response may be read by any page, from the fast path too", async () => {
      const game = await server.client.newGame();
      const { headers } = await server.client.get(`/api/v1/games/${game}`);
      assert.equal(headers["access-control-allow-origin"], "*");
      assert.equal(headers["access-control-expose-headers"], exposed);
      assert.equal(headers.vary, undefined);
      const before = await metric(server.client, "openseat_fast_path_answers_total");
      const [quick, usual] = await bothWays(server, canJoin(game, `Origin: ${evil}`));
      assert.equal(quick, usual);
      assert.match(quick, /^access-control-allow-origin: \*\r$/m);
      assert.equal(await metric(server.client, "openseat_fast_path_answers_total"), before + 1);
      assert.equal(await opened(server, evil), 101);
      const asks = { origin: evil, "access-control-request-method": "DELETE" };
      const answer = await server.client.call("/api/v1/positions/x", { method: "OPTIONS", headers: asks });
      assert.deepEqual([answer.status, answer.headers["access-control-max-age"]], [204, "7200"]);
    });
  });
});

test("[HT5] an origin is written as browsers send it", () => {
  assert.equal(allowedOrigins(" * "), "*");
  assert.deepEqual(
    allowedOrigins("https://a.test ,http://b.test:8080,capacitor://localhost"),
    new Set(["https://a.test", "http://b.test:8080", "capacitor://localhost"]),
  );
  const wrong = [
    "",
    "a.test",
    "https://a.test/",
    "https://A.test",
    "https://a.test:443",
    "*, https://a.test",
    "null",
  ];
  for (const text of [...wrong, "https://a.test,", "https://*.a.test/x", "https://u@a.test"])
    assert.equal(allowedOrigins(text), undefined, text);
});
