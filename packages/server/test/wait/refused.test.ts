import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { Desk } from "../queues/desk.ts";
import { Browser, stateIn } from "../support/browser.ts";
import { assertRefused, range } from "../support/http.ts";
import { startServer } from "../support/server.ts";
import { stillClock } from "../support/skewed-clock.ts";
import { altered, inSeconds, issuerFlags, sign, tokenOf } from "../support/tokens.ts";
import { assertErrorPage, Reception } from "./reception.ts";

suite("what the waiting page refuses", () => {
  let reception: Reception;
  before(async () => {
    reception = await Reception.open();
  });
  after(() => reception.close());

  test("a return address that is not allowed stops the request, in every disguise, and nobody enters", async () => {
    const queue = await reception.newQueue();
    const ann = reception.browser();
    const before = await reception.desk.entries();
    for (const bad of ["https://evil.example/", "javascript:alert(1)", "/shop\r\nSet-Cookie: a=b", ""]) {
      const query = `?return=${encodeURIComponent(bad)}`;
      for (const path of ["", "/go", "/move"]) {
        const answer = await ann.get(`/wait/${queue}${path}${query}`);
        assertErrorPage(answer, 400, "return.not-allowed");
        assert.equal(answer.headers.location, undefined);
        assert.ok(!answer.text.includes("evil.example") && !answer.text.includes("javascript:"), bad);
      }
      for (const path of ["/enter", "/leave", "/move"])
        assertErrorPage(await ann.post(`/wait/${queue}${path}${query}`), 400, "return.not-allowed");
    }
    assertErrorPage(await ann.get(`/wait/${queue}?return=/shop&return=/shop`), 400, "return.not-allowed");
    assert.equal(await reception.desk.entries(), before);
    assert.equal(ann.cookiesFor(`/wait/${queue}`), "");
  });

  test("[RM8] an ended line says so to newcomers and insiders, with a link to the site", async () => {
    const { queue } = await reception.fullQueue();
    const ann = reception.browser();
    await ann.get(`/wait/${queue}?return=/shop/cart`);
    await reception.end(queue);
    const told = await ann.get(`/wait/${queue}?return=/shop/cart`);
    assert.equal(told.status, 200);
    assert.match(told.text, /This waiting room has closed/);
    assert.match(told.text, /<a class="button" href="\/shop\/cart">Go to the site/);
    assert.doesNotMatch(told.text, /Join the line again/);
    for (const [browser, query, site] of [
      [ann, "?return=/shop/cart", "/shop/cart"],
      [reception.browser(), "", "/shop"],
    ] as const) {
      const answer = await browser.get(`/wait/${queue}${query}`);
      assertErrorPage(answer, 410, "room.ended");
      assert.match(answer.text, /<h1>This waiting room has closed/);
      assert.ok(answer.text.includes(`<a class="button" href="${site}">Go to the site</a>`), answer.text);
      assert.doesNotMatch(answer.text, /http-equiv="refresh"/);
    }
    assertErrorPage(await reception.browser().post(`/wait/${queue}/enter`), 410, "room.ended");
  });

  test("an ended line without return addresses links nowhere", async () => {
    const { queue } = await reception.fullQueue({ returnAddresses: [] });
    await reception.end(queue);
    const answer = await reception.browser().get(`/wait/${queue}`);
    assertErrorPage(answer, 410, "room.ended");
    assert.doesNotMatch(answer.text, /class="button"/);
  });

  test("an address that is no longer allowed at admission is not used", async () => {
    const { queue, insider } = await reception.fullQueue({ returnAddresses: ["/shop", "/sale"] });
    const ann = reception.browser();
    await ann.get(`/wait/${queue}?return=/sale`);
    await reception.desk.change(queue, { returnAddresses: ["/shop"] });
    await reception.desk.complete(insider.id, reception.server.serviceKey);
    assertErrorPage(await ann.get(`/wait/${queue}/go?return=/sale`), 400, "return.not-allowed");
    assert.equal((await ann.visit(`/wait/${queue}/go`)).way.at(-1), "/shop");
  });

  test("forms sent by another site are refused, and change nothing", async () => {
    const { queue } = await reception.fullQueue();
    const ann = reception.browser();
    await ann.get(`/wait/${queue}`);
    const before = await reception.desk.entries();
    for (const headers of [
      { "sec-fetch-site": "cross-site", origin: reception.server.url },
      { origin: "http://127.0.0.1:1" },
      { origin: "null" },
    ]) {
      for (const path of ["leave", "enter", "move"]) {
        const answer = await ann.post(`/wait/${queue}/${path}`, { headers });
        assertErrorPage(answer, 403, "auth.forbidden");
        assert.equal(answer.headers["set-cookie"], undefined);
      }
    }
    const gate = await ann.post(`/gate/${queue}/complete`, { headers: { "sec-fetch-site": "cross-site" } });
    assertRefused(gate, 403, "auth.forbidden");
    assert.equal(await reception.desk.entries(), before);
    for (const headers of [
      { "sec-fetch-site": "same-origin", origin: "https://behind.a.proxy.example" },
      { origin: reception.server.url },
    ])
      assert.equal((await ann.post(`/wait/${queue}/enter`, { headers })).status, 303);
  });

  test("an invalid or too large form is refused with a page", async () => {
    const { queue } = await reception.fullQueue();
    const ann = reception.browser();
    const json = { headers: { "content-type": "application/json" } };
    assertErrorPage(
      await ann.client.post(`/wait/${queue}/enter`, { rawBody: "{}", ...json }),
      415,
      "input.unsupported-type",
    );
    const large = await ann.post(`/wait/${queue}/move`, { form: { code: "x".repeat(5_000) } });
    assertErrorPage(large, 413, "input.too-large");
    assert.equal((await reception.desk.stats(queue)).waiting, 0);
  });

  test("odd, huge, altered, expired and foreign cookies make a new guest, without a server fault", async () => {
    const { queue } = await reception.fullQueue();
    const ann = reception.browser();
    await ann.get(`/wait/${queue}`);
    const good = ann.cookie("openseat_guest")!.value;
    const place = ann.cookie("openseat_place")!.value;
    const { guestSecret } = reception.server;
    const guest = { iss: "openseat", aud: "openseat", sub: "guest_forged" };
    const bad = [
      "",
      "a.b.c",
      "%00",
      "x".repeat(9_000),
      altered(good, { sub: "guest_other" }),
      reception.server.operatorKey,
      sign({ ...guest, exp: inSeconds(60) }, "some other secret of at least 32 characters"),
      sign({ ...guest, exp: inSeconds(-60) }, guestSecret),
      sign({ ...guest, sub: "@operator", exp: inSeconds(60) }, guestSecret),
      tokenOf("ann"),
    ];
    let { waiting } = await reception.desk.stats(queue);
    for (const value of bad) {
      const eve = reception.browser();
      eve.tamper("openseat_guest", value);
      eve.tamper("openseat_place", place);
      const answer = await eve.get(`/wait/${queue}`);
      assert.deepEqual([answer.status, stateIn(answer).position], [200, ++waiting], value.slice(0, 40));
      assert.notEqual(eve.cookie("openseat_guest")!.value, value);
      assertRefused(
        await eve.client.get(`/wait/${queue}/state`, { headers: { cookie: `openseat_guest=${value}` } }),
        404,
        "place.not-found",
      );
    }
    for (const value of ["", `${place}x`, `${place}.seen.seen`, "x".repeat(9_000)]) {
      ann.tamper("openseat_place", value);
      const answer = await ann.get(`/wait/${queue}`);
      assert.deepEqual([answer.status, stateIn(answer).position], [200, 1], "the guest is still recognised");
      assert.equal(ann.cookie("openseat_place")!.value, place);
    }
  });

  test("another person's place is not shown by its id alone", async () => {
    const { queue } = await reception.fullQueue();
    const [ann, eve] = [reception.browser(), reception.browser()];
    await ann.get(`/wait/${queue}`);
    await eve.get(`/wait/${queue}`);
    eve.tamper("openseat_place", ann.cookie("openseat_place")!.value);
    assert.equal((await eve.get(`/wait/${queue}/state`)).body.data.position, 2);
    await eve.post(`/wait/${queue}/leave`);
    assert.equal((await ann.get(`/wait/${queue}/state`)).body.data.status, "waiting");
  });

  test("unknown lines and invalid names get a page and no cookie", async () => {
    const ann = reception.browser();
    for (const name of ["none-such", "%3Cscript%3E", "x".repeat(65), "..%2f"]) {
      for (const path of ["", "/go", "/move"]) {
        const answer = await ann.get(`/wait/${name}${path}`);
        assertErrorPage(answer, 404, "room.not-found");
        assert.ok(!answer.text.includes("<script>"));
      }
      assertErrorPage(await ann.post(`/wait/${name}/enter`), 404, "room.not-found");
      assertRefused(await ann.get(`/wait/${name}/state`), 404, "room.not-found");
      assertRefused(await ann.get(`/wait/${name}/events`), 404, "room.not-found");
    }
    assert.equal(ann.cookiesFor("/wait/none-such"), "");
  });

  test("[LN8] a full line is a page that says when to come back, and retries automatically", async () => {
    const { queue } = await reception.fullQueue({ maxWaiting: 1 });
    await reception.browser().get(`/wait/${queue}`);
    const ann = reception.browser();
    for (const answer of [
      await ann.get(`/wait/${queue}?return=/shop/x`),
      await ann.post(`/wait/${queue}/enter?return=/shop/x`),
    ]) {
      assertErrorPage(answer, 503, "line.full");
      assert.equal(answer.headers["retry-after"], "30");
      assert.equal(answer.headers["cache-control"], "no-store");
      // Varied, so that people refused together do not retry together.
      const [, seconds, address] = /<meta http-equiv="refresh" content="(\d+);url=([^"]+)">/.exec(
        answer.text,
      )!;
      assert.ok(Number(seconds) > 30 && Number(seconds) <= 40, seconds);
      assert.equal(address, `/wait/${queue}?return=%2Fshop%2Fx`);
    }
  });

  test("requests that nobody will see take no place: prefetches, and other sites' images and frames", async () => {
    const queue = await reception.newQueue();
    for (const headers of [
      { "sec-purpose": "prefetch;prerender" },
      { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image", "sec-fetch-mode": "no-cors" },
      { "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe", "sec-fetch-mode": "navigate" },
    ]) {
      const unseen = reception.browser();
      assertErrorPage(await unseen.get(`/wait/${queue}`, { headers }), 503, "server.busy");
      assert.equal(unseen.cookiesFor(`/wait/${queue}`), "");
    }
    assert.equal((await reception.browser().client.call(`/wait/${queue}`, { method: "HEAD" })).status, 405);
    assert.equal((await reception.desk.stats(queue)).entered, 0);
    const link = {
      "sec-fetch-site": "cross-site",
      "sec-fetch-dest": "document",
      "sec-fetch-mode": "navigate",
    };
    assert.equal((await reception.browser().get(`/wait/${queue}`, { headers: link })).status, 303);
  });

  test("a browser without cookies gets an explanation, and takes at most one seat", async () => {
    const queue = await reception.newQueue({ maxActive: 10 });
    const bare = reception.browser();
    const first = await bare.client.get(`/wait/${queue}`);
    assert.deepEqual([first.status, first.headers.location], [303, `/wait/${queue}/go`]);
    assertErrorPage(await bare.client.get(`/wait/${queue}/go`), 404, "place.not-found");
    assert.equal((await reception.desk.stats(queue)).entered, 1);
  });
});

test("[LM3] new visitors from an address have their own limit, with a page that retries automatically", async () => {
  const limits = ["--visitors-per-address-max", "2", "--guests-per-address-max", "0"];
  const flags = [...issuerFlags, ...limits, "--enters-per-address-max", "1"];
  const server = await startServer(flags, undefined, { clock: stillClock() });
  const browsers = range(3).map(() => new Browser(server.url));
  const [ann, bob, cid] = browsers;
  try {
    const { queue } = await new Desk(server).fullQueue({ id: "shop" });
    assert.equal((await ann.get(`/wait/${queue}`)).status, 200);
    assert.equal((await bob.get(`/wait/${queue}`)).status, 200);
    for (const answer of [await cid.get(`/wait/${queue}`), await cid.post(`/wait/${queue}/enter`)]) {
      assertErrorPage(answer, 429, "limit.address");
      assert.equal(answer.headers["set-cookie"], undefined, "a refused request creates no guest");
      assert.equal(answer.headers["retry-after"], "30");
      const [, seconds] = /<noscript><meta http-equiv="refresh" content="(\d+);url=\/wait\/shop">/.exec(
        answer.text,
      )!;
      assert.ok(Number(seconds) > Number(answer.headers["retry-after"]), seconds);
      assert.match(answer.text, /tries again automatically/);
    }
    assert.equal((await ann.get(`/wait/${queue}`)).status, 200);
  } finally {
    for (const browser of browsers) browser.close();
    await server.stop();
  }
});
