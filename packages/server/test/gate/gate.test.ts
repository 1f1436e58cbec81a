import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { Desk } from "../queues/desk.ts";
import { Browser } from "../support/browser.ts";
import { type Answer, assertInvalid, assertRefused, sayRaw } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { altered, issuerFlags, tokenOf } from "../support/tokens.ts";

function assertTurnedAway(answer: Answer, wait: string, what = ""): void {
  assertRefused(answer, 401, "session.missing", what);
  assert.equal(answer.headers["openseat-wait"], wait, what);
  assert.equal(answer.headers["cache-control"], "no-store", what);
  assert.equal(answer.headers["set-cookie"], undefined, what);
}

suite("the gate", () => {
  let server: TestServer;
  let desk: Desk;
  let queue: string;
  /** An admitted person, and their session. */
  let insider: string;

  before(async () => {
    server = await startServer();
    desk = new Desk(server);
    queue = await desk.newQueue({ id: "shop", maxActive: 1_000, returnAddresses: ["/"] });
    const { token } = await desk.entered(queue, "ann");
    insider = (await desk.claimed(token, "ann")).id;
  });
  after(() => server.stop());

  const ask = (headers: Record<string, string> = {}, line = queue) =>
    server.client.get(`/gate/${line}`, { headers });
  const complete = (headers: Record<string, string> = {}, line = queue) =>
    server.client.post(`/gate/${line}/complete`, { headers });
  const cookie = (id: string, line = queue) => ({ cookie: `openseat_session_${line}=${id}` });

  test("[AD9] a session opens it, by its cookie among others or by the header", async () => {
    for (const headers of [
      cookie(insider),
      { cookie: `a=b; openseat_session_other=x; openseat_session_${queue}=${insider}; c="d"` },
      { "x-openseat-session": insider },
    ]) {
      const answer = await ask(headers);
      assert.deepEqual([answer.status, answer.text], [204, ""]);
      assert.equal(answer.headers["cache-control"], "no-store");
      assert.equal(answer.headers["set-cookie"], undefined);
    }
  });

  test("[AD9] without a session it says where to wait, with the return address", async () => {
    assertTurnedAway(await ask(), "/wait/shop");
    for (const [original, back] of [
      ["/", "%2F"],
      ["/cart?x=1&y=a%20b", "%2Fcart%3Fx%3D1%26y%3Da%2520b"],
      ["/?a=1&openseat_token=old&b=2", "%2F%3Fa%3D1%26b%3D2"],
      ["/?openseat_token=old", "%2F"],
    ]) {
      assertTurnedAway(await ask({ "x-original-uri": original }), `/wait/shop?return=${back}`, original);
      assertTurnedAway(await ask({ "x-forwarded-uri": original }), `/wait/shop?return=${back}`, original);
    }
    const odd = ["//evil.example/", "https://evil.example/", "", `/${"x".repeat(3_000)}`];
    for (const original of odd)
      assertTurnedAway(await ask({ "x-original-uri": original }), "/wait/shop", original.slice(0, 40));
  });

  test("[AD9] sessions of other queues, and forged, odd and huge ones open nothing, without a server fault", async () => {
    const other = await desk.newQueue({ id: "shop-2" });
    const { token, id: position } = await desk.entered(other, "bob");
    const foreign = (await desk.claimed(token, "bob")).id;
    assert.equal((await ask(cookie(foreign, other), other)).status, 204);
    const bad = [
      foreign,
      foreign.replace("shop-2", "shop"),
      position,
      insider.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
      insider.toUpperCase(),
      `"${insider}"`,
      "",
      "%00%ff",
      "__proto__",
      "x".repeat(12_000),
    ];
    for (const id of bad) {
      assertTurnedAway(await ask(cookie(id)), "/wait/shop", `cookie ${id.slice(0, 50)}`);
      assertTurnedAway(await ask({ "x-openseat-session": id }), "/wait/shop", `header ${id.slice(0, 50)}`);
      assertTurnedAway(await complete(cookie(id)), "/wait/shop", `complete ${id.slice(0, 50)}`);
    }
    for (const odd of [";", "=;=", `openseat_session_${queue};`])
      assertTurnedAway(await ask({ cookie: odd }), "/wait/shop", odd);
    assert.equal((await ask(cookie(insider))).status, 204, "nobody lost a session by it");
    // Of two cookies with the same name the first counts: browsers send the most specific path first.
    assert.equal((await ask({ cookie: `${cookie(insider).cookie}; ${cookie("x").cookie}` })).status, 204);
    const raw = `GET /gate/${queue} HTTP/1.1\r\nHost: h\r\nCookie: \xff\xfe=\x80; ${cookie(insider).cookie}\r\nConnection: close\r\n\r\n`;
    assert.match(await sayRaw(server.url, Buffer.from(raw, "latin1")), /^HTTP\/1\.1 204 /);
    const tooLong = `GET /gate/${queue} HTTP/1.1\r\nHost: h\r\nCookie: ${"x".repeat(20_000)}\r\n\r\n`;
    assert.match(await sayRaw(server.url, tooLong), /^HTTP\/1\.1 431 /);
  });

  test("unknown queues admit nobody; an invalid name is bad input", async () => {
    assertTurnedAway(await ask(cookie(insider, "none-such"), "none-such"), "/wait/none-such");
    assertTurnedAway(await complete({}, "none-such"), "/wait/none-such");
    assertInvalid(await ask({}, "a%20b"), "queue");
  });

  test("[AD7] a token in the original address is claimed once, and the cookie set", async () => {
    const { token } = await desk.entered(queue, "cid");
    const first = await ask({ "x-original-uri": `/cart?x=1&openseat_token=${token}` });
    assert.equal(first.status, 204);
    const [line] = first.headers["set-cookie"]!;
    const [, id] = /^openseat_session_shop=([\w-]+); Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/.exec(
      line,
    )!;
    assert.equal((await ask(cookie(id))).status, 204);
    const again = await ask({ "x-original-uri": `/cart?openseat_token=${token}` });
    assert.ok(again.headers["set-cookie"]![0].startsWith(`openseat_session_shop=${id}; `));
    // With the cookie there is nothing to claim.
    const both = await ask({ "x-original-uri": `/?openseat_token=${token}`, ...cookie(id) });
    assert.deepEqual([both.status, both.headers["set-cookie"]], [204, undefined]);
    assert.equal((await desk.sessionHeartbeat(id, "cid")).body.data.session.status, "ACTIVE");
    // An invalid cookie does not prevent a claim with a valid token.
    const stale = await ask({ "x-original-uri": `/?openseat_token=${token}`, ...cookie("stale") });
    assert.equal(stale.status, 204);
  });

  test("[AD7] tokens that are altered, for another queue, for the other use, or for a place that is over open nothing", async () => {
    const other = await desk.newQueue({ id: "shop-3" });
    const { token: foreign } = await desk.entered(other, "dan");
    const { token } = await desk.entered(queue, "dan");
    const { token: spent } = await desk.entered(queue, "eve");
    const session = await desk.claimed(spent, "eve");
    await desk.complete(session.id, tokenOf("eve"));
    const before = await desk.entries();
    for (const bad of [
      foreign,
      spent,
      session.token,
      altered(token, { sub: "eve" }),
      "",
      "%00",
      "x".repeat(9_000),
    ])
      assertTurnedAway(
        await ask({ "x-original-uri": `/y?openseat_token=${bad}` }),
        "/wait/shop?return=%2Fy",
        bad.slice(0, 40),
      );
    assert.equal(await desk.entries(), before);
  });

  test("[AD8] completing frees the seat for the next person at once, and closes the gate", async () => {
    const line = await desk.newQueue({ id: "one-seat" });
    const { token } = await desk.entered(line, "ann");
    const next = await desk.entered(line, "bob");
    const { id } = await desk.claimed(token, "ann");
    const done = await complete(cookie(id, line), line);
    assert.equal(done.status, 204);
    assert.match(done.headers["set-cookie"]![0], /^openseat_session_one-seat=; Path=\/; Max-Age=0; /);
    assert.equal((await desk.shown(next.id, "bob")).status, "ADMITTED");
    assertTurnedAway(await ask(cookie(id, line), line), "/wait/one-seat");
    assertTurnedAway(await complete(cookie(id, line), line), "/wait/one-seat");
    assert.equal((await desk.stats(line)).completed, 1);
  });
});

suite("the gate behind a proxy, on another host than the waiting page", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer([...issuerFlags, "--trust-proxy", "--public-url", "https://wait.example"]);
  });
  after(() => server.stop());

  const wait = async (headers: Record<string, string>) =>
    (await server.client.get("/gate/shop", { headers })).headers["openseat-wait"];

  test("the address of the waiting page is a full URL, and the return address names the site", async () => {
    const original = { "x-original-uri": "/cart?x=1" };
    const site = { host: "shop.example", "x-forwarded-proto": "https" };
    assert.equal(
      await wait({ ...original, ...site }),
      `https://wait.example/wait/shop?return=${encodeURIComponent("https://shop.example/cart?x=1")}`,
    );
    assert.equal(
      await wait({ ...original, host: "wait.example" }),
      `https://wait.example/wait/shop?return=${encodeURIComponent("/cart?x=1")}`,
    );
    assert.equal(await wait(site), "https://wait.example/wait/shop");
  });

  test("the waiting page accepts the return address from the gate; over TLS the cookies are secure", async () => {
    const desk = new Desk(server);
    const queue = await desk.newQueue({ id: "shop", returnAddresses: ["https://shop.example"] });
    const address = await wait({
      "x-original-uri": "/cart?x=1",
      host: "shop.example",
      "x-forwarded-proto": "https",
    });
    const ann = new Browser(server.url, { host: "wait.example", "x-forwarded-proto": "https" });
    const { headers } = await ann.visit(String(address).slice("https://wait.example".length));
    const [, token] = /^https:\/\/shop\.example\/cart\?x=1&openseat_token=([\w.-]+)$/.exec(
      headers.location!,
    )!;
    for (const name of ["openseat_guest", `openseat_session_${queue}`])
      assert.match(ann.cookie(name)!.terms, /; HttpOnly; SameSite=Lax; Secure$/);
    const entered = await server.client.get(`/gate/${queue}`, {
      headers: {
        host: "shop.example",
        "x-forwarded-proto": "https",
        "x-original-uri": `/cart?x=1&openseat_token=${token}`,
      },
    });
    assert.match(entered.headers["set-cookie"]![0], /; HttpOnly; SameSite=Lax; Secure$/);
    ann.close();
  });
});

suite("behind a proxy that says nothing, with a public address", () => {
  for (const [publicUrl, terms] of [
    ["https://wait.example", /; HttpOnly; SameSite=Lax; Secure$/],
    ["http://wait.example", /; HttpOnly; SameSite=Lax$/],
  ] as const)
    test(`at ${publicUrl} cookies are ${publicUrl.startsWith("https") ? "" : "not "}secure`, async () => {
      const server = await startServer([...issuerFlags, "--public-url", publicUrl]);
      try {
        const queue = await new Desk(server).newQueue({ id: "shop", returnAddresses: ["/"] });
        const ann = new Browser(server.url, { host: "wait.example" });
        await ann.visit(`/wait/${queue}`);
        const names = ["openseat_guest", "openseat_place", `openseat_session_${queue}`];
        for (const name of names) assert.match(ann.cookie(name)!.terms, terms, name);
        const cookie = ann.cookiesFor("/");
        const done = await server.client.post(`/gate/${queue}/complete`, { headers: { cookie } });
        assert.match(done.headers["set-cookie"]![0], terms);
        ann.close();
      } finally {
        await server.stop();
      }
    });
});
