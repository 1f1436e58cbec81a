import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { assertRefused, sayRaw } from "../support/http.ts";
import { serverOfSuite } from "../support/server.ts";
import { inSeconds, issuerFlags, tokenOf } from "../support/tokens.ts";

describe("headers of answers", () => {
  const { server } = serverOfSuite([...issuerFlags, "--operator-port", "0"]);
  let game: string;
  const ann = tokenOf("ann");
  before(async () => {
    game = await server.client.newGame({ maxPlayers: 1 });
    const arena = { id: "table", title: "A table", game: "tic-tac-toe" };
    await server.client.post("/api/v1/arenas", { token: server.serviceKey, body: arena });
  });

  test("[HT1] no response lets a browser guess its type, and by default none is cached", async () => {
    const { client } = server;
    const answers = [
      await client.get("/healthz"),
      await client.get("/nope"),
      await client.post("/api/v1/guests"),
      await client.get(`/api/v1/games/${game}/can-join`, { token: ann }),
      await client.get("/api/v1/people/me", { token: ann }),
      await client.join("none", "ann"),
      await client.get("/api/v1/games?limit=x"),
      await client.get("/api/v1/games/%zz"),
      await client.get("/api/v1/arenas/table", { token: ann }),
      await client.get("/wait/none"),
    ];
    for (const { status, headers, text } of answers) {
      assert.equal(headers["x-content-type-options"], "nosniff", `${status} ${text}`);
      assert.equal(headers["cache-control"], "no-store", `${status} ${text}`);
    }
    for (const path of ["/docs", "/openapi.json", "/.well-known/jwks.json", "/api/v1/games"])
      assert.equal((await client.get(path)).headers["x-content-type-options"], "nosniff", path);
    const stream = await fetch(`${server.url}/api/v1/games/${game}/events`);
    assert.equal(stream.headers.get("x-content-type-options"), "nosniff");
    await stream.body!.cancel();
    assert.match(await sayRaw(server.url, "nonsense\r\n\r\n"), /x-content-type-options: nosniff/i);
  });

  test("[HT1] a response with 401 says how to authenticate, and whether the token was at fault", async () => {
    const path = `/api/v1/games/${game}/can-join`;
    const challenge = async (token?: string) => {
      const { status, headers } = await server.client.get(path, { token });
      assert.equal(status, 401);
      return headers["www-authenticate"];
    };
    assert.equal(await challenge(), 'Bearer realm="openseat"');
    const refused = 'Bearer realm="openseat", error="invalid_token"';
    assert.equal(await challenge("x.y.z"), refused);
    assert.equal(await challenge(tokenOf("ann", { exp: inSeconds(-60) })), refused);
    const gate = await server.client.get("/gate/none");
    assert.equal(
      gate.headers["www-authenticate"],
      gate.status === 401 ? 'Bearer realm="openseat"' : undefined,
    );
  });

  test("[HT1] a response with 201 has the address of what was created, also when it is repeated", async () => {
    const { client } = server;
    const made = async (path: string, body: object, token: string, key?: string) => {
      const answer = await client.post(path, { token, body, key });
      assert.equal(answer.status, 201, answer.text);
      return { location: answer.headers.location!, data: answer.body.data };
    };
    const operatorUrl = new URL(server.operatorUrl!);
    const rooms = [
      ["/api/v1/games", "game", { title: "A", maxPlayers: 2 }],
      ["/api/v1/arenas", "arena", { title: "A", game: "connect-four" }],
      ["/api/v1/ladders", "ladder", { title: "A" }],
    ] as const;
    for (const [path, name, body] of rooms) {
      const { location, data } = await made(path, body, ann, name);
      assert.equal(location, `${path}/${data[name].id}`);
      assert.equal((await client.get(location)).status, 200, location);
      assert.equal((await made(path, body, ann, name)).location, location, "again");
    }
    const queue = await fetch(new URL("/api/v1/queues", operatorUrl), {
      method: "POST",
      headers: { authorization: `Bearer ${server.operatorKey}`, "content-type": "application/json" },
      body: JSON.stringify({ id: "shop", title: "A shop", maxActive: 1 }),
    });
    assert.equal(queue.status, 201, await queue.text());
    assert.equal(queue.headers.get("location"), "/api/v1/queues/shop");
    const entered = await made("/api/v1/queues/shop/positions", {}, ann, "enter");
    assert.equal(entered.location, `/api/v1/positions/${entered.data.position.id}`);
    assert.equal((await client.get(entered.location, { token: ann })).status, 200);
    const { token } = entered.data.position;
    const claimed = await made("/api/v1/sessions", { token }, ann);
    assert.equal(claimed.location, `/api/v1/sessions/${claimed.data.session.id}`);
    const guest = await client.post("/api/v1/guests");
    assert.equal(guest.headers.location, "/api/v1/people/me");
    assert.equal((await client.join(game, "bob")).headers.location, undefined, "nothing was made");
  });

  test("[HT2] another method at a known address is refused with the allowed ones", async () => {
    const { client } = server;
    const wrong = [
      ["PUT", `/api/v1/games/${game}`, "GET, HEAD, OPTIONS"],
      ["PROPFIND", `/api/v1/games/${game}`, "GET, HEAD, OPTIONS"],
      ["DELETE", "/api/v1/games", "GET, HEAD, POST, OPTIONS"],
      ["GET", `/api/v1/games/${game}/join`, "POST, OPTIONS"],
      ["HEAD", `/api/v1/games/${game}/join`, "POST, OPTIONS"],
      ["PUT", `/api/v1/games/${game}/can-join?a=b`, "GET, HEAD, OPTIONS"],
      ["PUT", `/api/v1/games/${game}/can-join/`, "GET, HEAD, OPTIONS"],
      // The response to HEAD would have no end.
      ["HEAD", `/api/v1/games/${game}/events`, "GET, OPTIONS"],
      ["POST", "/wait/shop", "GET, OPTIONS"],
      ["POST", "/", "GET, HEAD, OPTIONS"],
    ];
    for (const [method, path, allowed] of wrong) {
      const answer = await client.call(path, { method, token: ann });
      assert.equal(answer.status, 405, `${method} ${path}`);
      assert.equal(answer.headers.allow, allowed, `${method} ${path}`);
      if (method === "HEAD") continue;
      assertRefused(answer, 405, "route.method-not-allowed", `${method} ${path}`);
      assert.equal(answer.body.data.allowed.join(", "), allowed);
    }
    const body = { method: "PUT", rawBody: "{", token: ann };
    assertRefused(await client.call(`/api/v1/games/${game}`, body), 405, "route.method-not-allowed");
  });

  test("[HT2] OPTIONS lists the methods of an address, and is refused at unknown ones", async () => {
    const options = (path: string) => server.client.call(path, { method: "OPTIONS" });
    const answer = await options(`/api/v1/games/${game}/join`);
    assert.deepEqual([answer.status, answer.headers.allow, answer.text], [204, "POST, OPTIONS", ""]);
    assertRefused(await options("/api/v1/nope"), 404, "route.not-found");
    assert.equal((await options("/api/v1/queues")).headers.allow, "GET, HEAD, OPTIONS", "the public port");
    assertRefused(await options("/metrics"), 404, "route.not-found");
    const { headers } = await fetch(`${server.operatorUrl}/api/v1/queues`, { method: "OPTIONS" });
    assert.equal(headers.get("allow"), "GET, HEAD, POST, OPTIONS", "the operators' port");
  });

  test("[HT2] an address with a trailing slash is the same address", async () => {
    const { client } = server;
    for (const path of [`/api/v1/games/${game}`, "/api/v1/games", "/healthz", "/docs", "/wait/shop"]) {
      const [one, other] = [await client.get(path), await client.get(`${path}/`)];
      assert.equal(other.status, one.status, path);
    }
    const answer = await client.post(`/api/v1/games/${game}/join/`, { token: tokenOf("bob") });
    assertRefused(answer, 400, "place.exists");
    assert.equal((await client.get("/api/v1/games/?limit=1")).body.data.games.length, 1);
  });

  test("[HT3] public responses have a tag, and are not sent again to clients that have them", async () => {
    const { client } = server;
    for (const path of [`/api/v1/games/${game}`, "/api/v1/games", "/api/v1/arenas/table", "/api/v1/queues"]) {
      const first = await client.get(path);
      const { etag } = first.headers;
      assert.match(String(etag), /^W\/"[\w-]+"$/, path);
      assert.equal(first.headers["cache-control"], "no-cache", path);
      for (const known of [etag!, etag!.slice(2), `"other", ${etag}`, "*"]) {
        const again = await client.get(path, { headers: { "if-none-match": known } });
        assert.deepEqual([again.status, again.text, again.headers.etag], [304, "", etag], `${path} ${known}`);
        assert.equal(again.headers["content-length"], undefined);
      }
      const head = await client.call(path, { method: "HEAD" });
      assert.deepEqual(
        [head.headers.etag, head.headers["content-length"]],
        [etag, first.headers["content-length"]],
      );
      const unchanged = await client.call(path, { method: "HEAD", headers: { "if-none-match": etag! } });
      assert.deepEqual([unchanged.status, unchanged.headers.etag], [304, etag], `HEAD ${path}`);
      const other = await client.get(path, { headers: { "if-none-match": 'W/"other"' } });
      assert.equal(other.status, 200, path);
    }
  });

  test("[HT3] the tag changes with the room", async () => {
    const { client } = server;
    const id = await client.newGame();
    const { etag } = (await client.get(`/api/v1/games/${id}`)).headers;
    await client.join(id, "ann");
    const after = await client.get(`/api/v1/games/${id}`, { headers: { "if-none-match": etag! } });
    assert.equal(after.status, 200);
    assert.equal(after.body.data.version, 2);
    assert.notEqual(after.headers.etag, etag);
  });

  test("[HT3] HEAD of a stream has no tag either", async () => {
    const { client, serviceKey } = server;
    const made = await client.post("/api/v1/ladders", { token: serviceKey, body: { title: "Exported" } });
    const path = `/api/v1/ladders/${made.body.data.ladder.id}/export?what=standings&format=csv`;
    const { status, headers } = await client.call(path, {
      method: "HEAD",
      headers: { "if-none-match": "*" },
    });
    assert.deepEqual([status, headers.etag, headers["cache-control"]], [200, undefined, "no-store"]);
  });

  test("[HT3] personal responses have no tag and are not cached, also at an address that others may read", async () => {
    for (const [path, token] of [
      ["/api/v1/arenas/table", ann],
      [`/api/v1/games/${game}/can-join`, ann],
    ]) {
      const { status, headers } = await server.client.get(path, { token, headers: { "if-none-match": "*" } });
      assert.deepEqual([status, headers.etag, headers["cache-control"]], [200, undefined, "no-store"], path);
    }
  });
});
