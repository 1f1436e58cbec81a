import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { encodingFor } from "../../src/transport/http/headers/accept.ts";
import { range } from "../support/http.ts";
import { serverOfSuite } from "../support/server.ts";

const unpack = { gzip: gunzipSync, br: brotliDecompressSync };

describe("compressed responses", () => {
  const { server } = serverOfSuite();
  before(async () => {
    for (const number of range(8)) await server.client.newGame({ title: `Game ${number}` });
    const ladder = { id: "club", title: "A club" };
    const made = await server.client.post("/api/v1/ladders", { token: server.serviceKey, body: ladder });
    assert.equal(made.status, 201, made.text);
    await server.client.post("/api/v1/queues", {
      token: server.operatorKey,
      body: { id: "shop", title: "A shop", maxActive: 1 },
    });
  });

  const asked = (url: string, encoding?: string) =>
    server.app.inject({ url, headers: encoding === undefined ? {} : { "accept-encoding": encoding } });

  for (const path of [
    "/api/v1/games",
    "/api/v1/ladders/club/export?what=standings&format=json",
    "/wait/nope",
  ])
    test(`[HT4] ${path} is compressed for clients that ask for it, with the same content`, async () => {
      const plain = await asked(path);
      assert.equal(plain.headers["content-encoding"], undefined);
      assert.equal(plain.headers.vary, "accept-encoding");
      for (const encoding of ["gzip", "br"] as const) {
        const packed = await asked(path, encoding);
        assert.equal(packed.headers["content-encoding"], encoding);
        assert.equal(packed.headers.vary, "accept-encoding");
        assert.equal(packed.headers.etag, plain.headers.etag);
        assert.equal(unpack[encoding](packed.rawPayload).toString(), plain.body);
      }
    });

  test("[HT4] short responses, event streams and secret codes are not compressed, and neither are responses to clients that did not ask", async () => {
    for (const path of ["/api/v1/games?limit=1", "/healthz", "/wait/shop/move"]) {
      const { headers } = await asked(path, "gzip, br");
      assert.deepEqual([headers["content-encoding"], headers.vary], [undefined, undefined], path);
    }
    for (const encoding of ["", "identity", "deflate", "gzip;q=0, br;q=0"])
      assert.equal((await asked("/api/v1/games", encoding)).headers["content-encoding"], undefined, encoding);
    const [{ id }] = (await server.client.get("/api/v1/games")).body.data.games;
    const stream = await fetch(`${server.url}/api/v1/games/${id}/events`);
    assert.equal(stream.headers.get("content-encoding"), null);
    await stream.body!.cancel();
  });

  test("[HT4] a client with the current response gets 304, compressed or not", async () => {
    const { etag } = (await asked("/api/v1/games")).headers;
    const headers = { "if-none-match": String(etag), "accept-encoding": "br" };
    const answer = await server.app.inject({ url: "/api/v1/games", headers });
    assert.deepEqual([answer.statusCode, answer.body], [304, ""]);
    assert.equal(answer.headers["content-encoding"], undefined);
  });

  test("[HT4] responses beyond the compression limit are sent uncompressed", async () => {
    const answers = await Promise.all(range(60).map(() => asked("/api/v1/games", "gzip")));
    const texts = answers.map(({ headers, rawPayload, body }) =>
      headers["content-encoding"] === "gzip" ? gunzipSync(rawPayload).toString() : body,
    );
    assert.equal(new Set(texts).size, 1);
    const packed = answers.filter(({ headers }) => headers["content-encoding"] === "gzip");
    assert.ok(packed.length >= 16, `${packed.length} were compressed`);
  });

  test("[HT4] a client that disconnects in the middle of a compressed file releases its place", async () => {
    const path = "/api/v1/ladders/club/export?what=matches&format=csv";
    for (const _ of range(20)) {
      const leaving = new AbortController();
      const asking = fetch(`${server.url}${path}`, { signal: leaving.signal }).catch(() => undefined);
      leaving.abort();
      await asking;
    }
    const { headers } = await asked("/api/v1/games", "gzip");
    assert.equal(headers["content-encoding"], "gzip");
  });
});

test("[HT4] the encoding is the one that the client prefers", () => {
  const choices = [
    [undefined, undefined],
    ["gzip", "gzip"],
    ["GZIP", "gzip"],
    ["gzip, deflate, br, zstd", "br"],
    ["br;q=0.5, gzip", "gzip"],
    ["gzip;q=0.5, br;q=0.8", "br"],
    ["gzip;q=0", undefined],
    ["*", "gzip"],
    ["*;q=0", undefined],
    ["br;q=x", undefined],
    ["abroad", undefined],
  ] as const;
  for (const [header, encoding] of choices) assert.equal(encodingFor(header), encoding, String(header));
});
