import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { issuer, tokenOf } from "../support/tokens.ts";
import { RawClient, requestText } from "./raw-client.ts";
import { fastStage, type Stage } from "./stage.ts";

const ann = `Authorization: Bearer ${tokenOf("ann")}`;

describe("the input of a handler", () => {
  for (const trustProxy of [false, true]) {
    describe(trustProxy ? "behind a proxy" : "without a proxy", () => {
      let stage: Stage;
      before(async () => {
        stage = await fastStage({ trustProxy });
      });
      after(() => stage.close());

      const json = (body: string) => ({
        headers: ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`],
        body,
      });
      const requests: [string, { headers: readonly string[]; body?: string }, "fast" | "either"][] = [
        ["nothing", { headers: [] }, "fast"],
        ["a body", json('{"name":"ann","more":[1,2]}'), "fast"],
        ["a body beyond ASCII", json('{"name":"Zoë 🎲"}'), "fast"],
        ["a body with an escape", json('{"name":"\\u00e9\\u2713"}'), "either"],
        ["a body that is not UTF-8", { ...json('{"name":"é"}'), ...json('{"name":"\xe9"}') }, "either"],
        ["a body whose schema fails", json('{"name":5}'), "either"],
        ["null", json("null"), "fast"],
        ["a key", { headers: ["Idempotency-Key:  k 1 "] }, "fast"],
        ["a user agent", { headers: ["User-Agent: Some Browser/1.0 (like others)"] }, "fast"],
        ["two user agents", { headers: ["User-Agent: a", "User-Agent: b"] }, "either"],
        ["a forwarded address", { headers: ["X-Forwarded-For: 192.0.2.1"] }, "fast"],
        ["several", { headers: ["X-Forwarded-For: 192.0.2.1, 2001:db8::1,192.0.2.3"] }, "fast"],
        ["one of IPv6", { headers: ["X-Forwarded-For: 2001:DB8::1"] }, "fast"],
        ["an empty one", { headers: ["X-Forwarded-For:"] }, "either"],
        ["one with a port", { headers: ["X-Forwarded-For: [2001:db8::1]:80"] }, "either"],
        ["one in words", { headers: ["X-Forwarded-For: unknown"] }, "either"],
        ["one that ends in a comma", { headers: ["X-Forwarded-For: 192.0.2.1,"] }, "either"],
        ["one with spaces", { headers: ["X-Forwarded-For: 192.0.2.1 192.0.2.2"] }, "either"],
        ["two lists", { headers: ["X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 192.0.2.2"] }, "either"],
      ];
      for (const [name, { headers, body }, way] of requests) {
        test(`${name}: the same on both paths`, async () => {
          const bytes = requestText("POST /echo/an-id.1", [ann, ...headers], body);
          const client = await RawClient.open(stage.url);
          const before = stage.fastPath.answered;
          const quick = await client.ask(bytes);
          const isFast = stage.fastPath.answered > before;
          if (way === "fast") assert.ok(isFast);
          const slow = await client.ask(`\r\n${bytes}`);
          assert.equal(stage.fastPath.answered, before + (isFast ? 1 : 0));
          assert.deepEqual(quick, slow);
          assert.ok(quick.status === 200 || way === "either", quick.body);
          client.close();
        });
      }
    });
  }

  test("a body with defaults from the schema is the same on both paths", async () => {
    const stage = await fastStage();
    const client = await RawClient.open(stage.url);
    const headers = [ann, "Content-Type: application/json", "Content-Length: 14"];
    const bytes = requestText("POST /sized/a", headers, '{"name":"ann"}');
    assert.deepEqual(await client.ask(bytes), await client.ask(`\r\n${bytes}`));
    assert.deepEqual(
      stage.asks.map(({ body }) => body),
      [
        { name: "ann", size: 7 },
        { name: "ann", size: 7 },
      ],
    );
    assert.equal(stage.fastPath.answered, 1);
    client.close();
    await stage.close();
  });

  test("[HT1] [HT4] a long response has the same headers on both paths, and is not compressed", async () => {
    const stage = await fastStage();
    const client = await RawClient.open(stage.url);
    const bytes = requestText("GET /large/a", [ann, "Accept-Encoding: gzip, br"]);
    const quick = await client.ask(bytes);
    assert.deepEqual(await client.ask(`\r\n${bytes}`), quick);
    assert.match(quick.head, /^x-content-type-options: nosniff\r\ncache-control: no-store\r$/m);
    assert.doesNotMatch(quick.head, /content-encoding/i);
    assert.equal(stage.fastPath.answered, 1);
    client.close();
    await stage.close();
  });

  test("[LM2] a body over the server's limit is refused, however small the limit is", async () => {
    const stage = await fastStage({ bodyBytesMax: 100 });
    const client = await RawClient.open(stage.url);
    const body = JSON.stringify({ name: "x".repeat(90) });
    const headers = [ann, "Content-Type: application/json", `Content-Length: ${body.length}`];
    assert.equal((await client.ask(requestText("POST /echo/a", headers, body))).status, 413);
    client.close();
    await stage.close();
  });
});

describe("tokens whose keys have to be fetched", () => {
  let keys: Server;
  let stage: Stage;
  let good: string;
  let bad: string;
  const echo = (token: string, id: string) => requestText(`POST /echo/${id}`, [token]);

  before(async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const jwk = { ...(await exportJWK(publicKey)), kid: "k", alg: "ES256" };
    keys = createServer((_, response) => response.end(JSON.stringify({ keys: [jwk] }))).listen(0);
    const { port } = keys.address() as AddressInfo;
    stage = await fastStage({ issuerJwksUrl: `http://127.0.0.1:${port}/` });
    const tokenBy = async (key: CryptoKey) => {
      const token = new SignJWT({ sub: "ann", iss: issuer }).setProtectedHeader({ alg: "ES256", kid: "k" });
      return `Authorization: Bearer ${await token.setExpirationTime("1h").sign(key)}`;
    };
    good = await tokenBy(privateKey);
    bad = await tokenBy((await generateKeyPair("ES256")).privateKey);
  });
  after(async () => {
    await stage.close();
    keys.closeAllConnections();
    keys.close();
  });

  test("[AU1] are checked on the fast path too, and later requests wait", async () => {
    const client = await RawClient.open(stage.url);
    const before = stage.fastPath.answered;
    client.send(echo(good, "a") + echo(good, "b") + requestText("GET /ordinary"));
    assert.match((await client.answer()).body, /"id":"a"/);
    assert.match((await client.answer()).body, /"id":"b"/);
    assert.match((await client.answer()).body, /ordinary/);
    assert.equal(stage.fastPath.answered - before, 2);
    client.close();
  });

  test("[AU1] are refused on the fast path, which continues", async () => {
    const client = await RawClient.open(stage.url);
    const before = stage.fastPath.answered;
    assert.equal((await client.ask(echo(bad, "a"))).status, 401);
    assert.match((await client.ask(echo(good, "b"))).body, /"id":"b"/);
    assert.equal(stage.fastPath.answered - before, 2);
    client.close();
  });

  test("[AU1] are refused in order, and requests that came with them take effect once", async () => {
    const client = await RawClient.open(stage.url);
    stage.asks.length = 0;
    client.send(echo(bad, "a") + echo(good, "b"));
    assert.equal((await client.answer()).status, 401);
    assert.match((await client.answer()).body, /"id":"b"/);
    assert.deepEqual(
      stage.asks.map(({ id }) => id),
      ["b"],
    );
    client.close();
  });

  test("[AU1] have no effect if the client disconnects before they are checked", async () => {
    const client = await RawClient.open(stage.url);
    stage.asks.length = 0;
    client.send(echo(bad, "a") + echo(bad, "b"));
    client.socket.resetAndDestroy();
    const other = await RawClient.open(stage.url);
    assert.match((await other.ask(echo(good, "c"))).body, /"id":"c"/);
    assert.deepEqual(
      stage.asks.map(({ id }) => id),
      ["c"],
    );
    other.close();
  });
});
