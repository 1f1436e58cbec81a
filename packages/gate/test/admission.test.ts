import assert from "node:assert/strict";
import { after, before, beforeEach, suite, test } from "node:test";
import { until } from "../../server/test/support/http.ts";
import { requestOf, Stage, shop } from "./support/stage.ts";
import { claimCall, keysCall, probeCall, StandIn, sessionIdOf } from "./support/stand-in.ts";

suite("visitors", () => {
  let openseat: StandIn;
  let stage: Stage;
  before(async () => {
    openseat = await StandIn.start();
    stage = new Stage(openseat, { heartbeatSeconds: 0 });
  });
  after(() => openseat.stop());
  beforeEach(() => openseat.recover());

  test("without a session are sent to wait, with their address as the return address", async () => {
    for (const path of ["/", "/shoes?size=42&colour=red%20dark", "/a%2Fb?x=%26", "/é?q=ü"]) {
      const { status, location, cookies, headers } = await stage.visit(path);
      const back = new URL(shop + path).href;
      assert.deepEqual([status, location, cookies], [303, stage.waitingPage(back), []]);
      assert.equal(headers.get("cache-control"), "no-store");
    }
    assert.equal(openseat.count(claimCall), 0);
    assert.ok(openseat.count(probeCall) <= 1, "one look at Openseat serves all");
  });

  test("return from a form or a script to the page before it", async () => {
    const post = (referer: string) =>
      stage.visit("/buy", { method: "POST", headers: { referer, accept: "text/html" } });
    const back = `${shop}/cart?x=1`;
    assert.equal((await post(back)).location, stage.waitingPage(back));
    assert.equal((await post(`${shop}/cart?openseat_token=x&x=1`)).location, stage.waitingPage(back));
    for (const other of [
      "https://elsewhere.test/",
      "https://shop.test.evil/",
      "nonsense",
      `${shop}//evil.test/`,
    ])
      assert.equal((await post(other)).location, stage.waitingPage(`${shop}/`), other);
    const json = await stage.visit("/api/cart", { headers: { accept: "application/json", referer: back } });
    assert.equal(json.headers.get("openseat-wait"), stage.waitingPage(back));
  });

  test("of an address that Openseat would refuse return to the front page", async () => {
    for (const path of ["//elsewhere.test/x", `/${"x".repeat(2_100)}`])
      assert.equal((await stage.visit(path)).location, stage.waitingPage(`${shop}/`), path.slice(0, 40));
  });

  test("[AD7] are claimed once; the session goes into a cookie, and the token leaves the address", async () => {
    const token = stage.admit();
    const path = `/shoes?size=42&openseat_token=${token}&colour=red%20dark`;
    const { status, location, cookies } = await stage.visit(path);
    assert.deepEqual([status, location], [303, `${shop}/shoes?size=42&colour=red%20dark`]);
    assert.equal(openseat.count(claimCall), 1);
    assert.match(
      cookies[0],
      /^openseat_admission_shop=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; Max-Age=60[01]; HttpOnly; SameSite=Lax; Secure$/,
    );
    assert.ok(!cookies[0].includes(token));
  });

  test("[AD9] with a session need no call", async () => {
    const cookie = await stage.enter();
    openseat.asked.length = 0;
    for (let visit = 0; visit < 20; visit++)
      assert.equal((await stage.visit("/", { cookie: `a=1; ${cookie}; b="2"` })).passed, "admitted");
    assert.deepEqual(openseat.asked, []);
  });

  test("with a session lose a token in the address, whatever the method, and it is not claimed again", async () => {
    const cookie = await stage.enter();
    openseat.asked.length = 0;
    const path = `/buy?openseat_token=${openseat.admit(stage.ticket)}`;
    const read = await stage.visit(path, { cookie });
    assert.deepEqual([read.status, read.location], [303, `${shop}/buy`]);
    // The body must arrive too.
    const written = await stage.visit(path, { cookie, method: "POST" });
    assert.deepEqual([written.status, written.location], [307, `${shop}/buy`]);
    assert.deepEqual(openseat.asked, []);
  });

  test("use the newest session if the browser sends a stale one first", async () => {
    const cookie = await stage.enter();
    const stale = "openseat_admission_shop=a.b.c";
    assert.equal((await stage.visit("/", { cookie: `${stale}; ${cookie}` })).passed, "admitted");
  });

  test("whose session is complete are sent to wait, and the cookie is deleted", async () => {
    const cookie = await stage.enter();
    const completion = await stage.gate.complete(requestOf("/", { cookie }));
    assert.equal(completion.ended, true);
    assert.equal(
      completion.cookie,
      "openseat_admission_shop=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure",
    );
    assert.ok(openseat.ended.has(sessionIdOf(stage.ticket)));
    assert.equal((await stage.visit("/", { cookie })).status, 303, "a kept cookie opens nothing");
    assert.equal((await stage.gate.complete(requestOf("/", { cookie }))).ended, false);
    assert.equal((await stage.gate.complete(requestOf("/"))).ended, false);
  });

  test("are completed later if Openseat does not answer", async () => {
    const cookie = await stage.enter();
    openseat.mood = "fails";
    assert.equal((await stage.gate.complete(requestOf("/", { cookie }))).ended, false);
    openseat.mood = "fine";
    await until("the session ends", () => openseat.ended.has(sessionIdOf(stage.ticket)));
  });

  test("who are scripts get 401 with the address of the waiting room", async () => {
    for (const headers of [
      { accept: "application/json" },
      { accept: "application/problem+json, */*" },
      { "x-requested-with": "XMLHttpRequest", accept: "text/html" },
      { "sec-fetch-dest": "empty", "sec-fetch-mode": "cors" },
    ]) {
      const { status, text, headers: answered } = await stage.visit("/api/cart", { headers });
      assert.equal(status, 401);
      assert.match(answered.get("content-type")!, /^application\/json/);
      const body = JSON.parse(text);
      assert.deepEqual([body.code, body.statusCode, body.success], ["session.missing", 401, false]);
      assert.equal(body.data.waitingRoom, stage.waitingPage(`${shop}/`));
    }
    for (const headers of [
      { accept: "text/html,application/xhtml+xml,application/json" },
      { "sec-fetch-dest": "document", "sec-fetch-mode": "navigate", accept: "application/json" },
    ])
      assert.equal((await stage.visit("/", { headers })).status, 303);
  });

  test("that send JSON, or write without being a browser, get 401", async () => {
    const json = { "content-type": "application/json" };
    const form = { "content-type": "application/x-www-form-urlencoded" };
    for (const step of [
      { method: "POST", headers: json },
      { method: "POST", headers: { ...json, accept: "*/*" } },
      { method: "POST", headers: { "content-type": "application/cloudevents+json", accept: "text/html" } },
      { method: "POST", headers: { ...form, accept: "*/*" } },
      { method: "POST" },
      { method: "PUT", headers: { accept: "text/html" } },
      { method: "DELETE" },
    ]) {
      const { status, text } = await stage.visit("/payments/hook", step);
      assert.deepEqual(
        [status, JSON.parse(text || "{}").code],
        [401, "session.missing"],
        JSON.stringify(step),
      );
    }
    for (const step of [
      { headers: { accept: "*/*" } },
      { method: "HEAD" },
      { method: "POST", headers: { ...form, accept: "text/html,application/xhtml+xml,*/*;q=0.8" } },
      { method: "POST", headers: { ...form, "sec-fetch-mode": "navigate" } },
    ])
      assert.equal((await stage.visit("/buy", step)).status, 303, JSON.stringify(step));
  });

  test("who are scripts by the setting get 401", async () => {
    const own = new Stage(openseat, { isApiCall: ({ url }) => url.startsWith("/api/") });
    assert.equal((await own.visit("/api/cart")).status, 401);
    assert.equal((await own.visit("/", { headers: { accept: "application/json" } })).status, 303);
  });

  test("of a site below a path and without HTTPS get a cookie for the path, without Secure", async () => {
    const below = new Stage(openseat, { site: "http://shop.test/en/" });
    const { location, cookies } = await below.visit(`/cart?openseat_token=${below.admit()}`);
    assert.equal(location, "http://shop.test/en/cart");
    assert.match(cookies[0], /; Path=\/en; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    assert.equal((await below.visit("/cart")).location, below.waitingPage("http://shop.test/en/cart"));
  });

  test("on the origin of Openseat need no token in the address: its cookie counts", async () => {
    const shared = new Stage(openseat, { site: openseat.url });
    const ticket = 90_001;
    const own = `openseat_session_shop=${sessionIdOf(ticket)}`;
    const verdict = await shared.visit("/", { cookie: own });
    assert.equal(verdict.passed, "admitted");
    assert.match(verdict.cookies[0], /^openseat_admission_shop=[\w.-]+; Path=\//);
    openseat.asked.length = 0;
    const [cookie] = verdict.cookies[0].split(";");
    assert.equal((await shared.visit("/", { cookie: `${own}; ${cookie}` })).passed, "admitted");
    await until("the heartbeat", () => openseat.asked.some((asked) => asked.includes("heartbeat")));
    assert.equal(openseat.asked.length, 1, "nothing else is asked");
    for (const id of ["shop-1-forged", "../../admin", "a b"])
      assert.equal((await shared.visit("/", { cookie: `openseat_session_shop=${id}` })).status, 303, id);
    openseat.asked.length = 0;
    assert.equal((await shared.visit("/", { cookie: "openseat_session_shop=shop-1-forged" })).status, 303);
    assert.deepEqual(openseat.asked, [], "the answer is remembered");
    // On another origin such a cookie belongs to somebody else.
    assert.equal((await stage.visit("/", { cookie: own })).status, 303);
  });

  test("on the origin of Openseat cannot keep others from entering with made-up sessions", async () => {
    let claims = 0;
    let lookups = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow: typeof fetch = async (input, init) => {
      if (String(input).endsWith("/api/v1/sessions")) claims++;
      if (String(input).endsWith("/heartbeat")) {
        lookups++;
        await released;
      }
      return fetch(input, init);
    };
    const shared = new Stage(openseat, { site: openseat.url, fetch: slow });
    await shared.visit("/");
    const flood = Array.from({ length: 1_000 }, (_, at) =>
      shared.visit("/", { cookie: `openseat_session_shop=made-up-${at}` }),
    );
    await until("the lookups run", () => lookups === 16);
    assert.equal((await shared.visit(`/?openseat_token=${shared.admit()}`)).cookies.length, 1);
    assert.deepEqual([claims, lookups], [1, 16]);
    release();
    for (const { status } of await Promise.all(flood)) assert.equal(status, 303);
  });

  test("get the site's own answer, with the cookies of the gate", async () => {
    const cookie = await stage.enter();
    const request = new Request("http://127.0.0.1:1/buy", { headers: { cookie } });
    const response = await stage.gate(request, async (given, visit) => {
      assert.equal(visit.session, sessionIdOf(stage.ticket));
      assert.equal(visit.person, "ann");
      assert.equal(stage.gate.visit(given), visit);
      await stage.gate.complete(given);
      return Response.redirect("https://shop.test/thanks", 303);
    });
    assert.equal(response.headers.get("location"), "https://shop.test/thanks");
    assert.match(response.headers.getSetCookie()[0], /^openseat_admission_shop=; /);
    assert.equal(openseat.count(keysCall), 0, "the keys are cached");
  });
});
