import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { Desk } from "../queues/desk.ts";
import { Browser, stateIn } from "../support/browser.ts";
import { assertRefused, range } from "../support/http.ts";
import { startServer } from "../support/server.ts";
import { assertErrorPage, Reception } from "./reception.ts";

suite("the waiting page", () => {
  let reception: Reception;
  before(async () => {
    reception = await Reception.open();
  });
  after(() => reception.close());

  test("[LS5] entering and returning: the same guest and the same place, however often", async () => {
    const { queue } = await reception.fullQueue();
    const ann = reception.browser();
    const first = await ann.get(`/wait/${queue}`);
    assert.equal(first.status, 200);
    assert.equal(stateIn(first).position, 1);
    const cookies = ann.cookiesFor(`/wait/${queue}`);
    for (const _ of range(3)) {
      const again = await ann.get(`/wait/${queue}`);
      assert.deepEqual([again.status, stateIn(again).position], [200, 1]);
      assert.equal(again.headers["set-cookie"], undefined);
    }
    assert.equal(ann.cookiesFor(`/wait/${queue}`), cookies);
    const bob = reception.browser();
    assert.equal(stateIn(await bob.get(`/wait/${queue}`)).position, 2);
    const { waiting, entered } = await reception.desk.stats(queue);
    assert.deepEqual([waiting, entered], [2, 3]);
  });

  test("the cookies are inaccessible to scripts and to other sites' forms, and secure only over TLS", async () => {
    const { queue } = await reception.fullQueue();
    const ann = reception.browser();
    await ann.get(`/wait/${queue}`);
    const month = 30 * 24 * 60 * 60;
    assert.equal(ann.cookie("openseat_guest")!.terms, `Path=/; Max-Age=${month}; HttpOnly; SameSite=Lax`);
    assert.equal(
      ann.cookie("openseat_place")!.terms,
      `Path=/wait/${queue}; Max-Age=${month}; HttpOnly; SameSite=Lax`,
    );
    // Without a trusted proxy, the header does not prove that the request came over TLS.
    const bob = reception.browser({ "x-forwarded-proto": "https" });
    await bob.get(`/wait/${queue}`);
    assert.ok(!bob.cookie("openseat_guest")!.terms.includes("Secure"));
  });

  test("a page is never cached, runs nothing from other origins, and sends no referrer elsewhere", async () => {
    const { queue } = await reception.fullQueue();
    const { headers } = await reception.browser().get(`/wait/${queue}`);
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "same-origin");
    assert.match(String(headers["content-security-policy"]), /^default-src 'none'; script-src 'self'/);
  });

  test("it uses the requested language", async () => {
    const { queue } = await reception.fullQueue();
    const german = await reception.browser({ "accept-language": "de-AT, en;q=0.5" }).get(`/wait/${queue}`);
    assert.match(german.text, /<html lang="de"/);
    const error = await reception.browser({ "accept-language": "de" }).get("/wait/none-such");
    assert.match(error.text, /<html lang="de"/);
  });

  test("[AD6] [AD7] [AD8] from the line to the site, and into the line again once the visit is completed", async () => {
    const queue = await reception.newQueue();
    const [ann, bob] = [reception.browser(), reception.browser()];
    // With a free seat there is nothing to wait for.
    const way = await ann.visit(`/wait/${queue}?return=%2Fshop%2Fcart%3Fx%3D1`);
    assert.deepEqual(way.way, [
      `/wait/${queue}?return=%2Fshop%2Fcart%3Fx%3D1`,
      `/wait/${queue}/go?return=%2Fshop%2Fcart%3Fx%3D1`,
      "/shop/cart?x=1",
    ]);
    assert.match(
      ann.cookie(`openseat_session_${queue}`)!.terms,
      /^Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    assert.equal((await ann.get(`/gate/${queue}`)).status, 204);

    const waiting = await bob.get(`/wait/${queue}`);
    assert.equal(stateIn(waiting).status, "waiting");
    const early = await bob.get(`/wait/${queue}/go`);
    assert.deepEqual([early.status, early.headers.location], [303, `/wait/${queue}`]);
    assert.equal(bob.cookie(`openseat_session_${queue}`), undefined);

    // Another visit during the session redirects to the site and keeps the session.
    const session = ann.cookie(`openseat_session_${queue}`)!.value;
    assert.equal((await ann.visit(`/wait/${queue}?return=/shop`)).way.at(-1), "/shop");
    assert.equal(ann.cookie(`openseat_session_${queue}`)!.value, session);

    assert.equal((await ann.post(`/gate/${queue}/complete`)).status, 204);
    const over = (await ann.get(`/wait/${queue}/state`)).body.data;
    assert.deepEqual([over.status, over.reason], ["gone", "completed"]);
    const admitted = await bob.get(`/wait/${queue}`);
    assert.equal(stateIn(admitted).status, "admitted");
    assert.match(stateIn(admitted).claimBy, /Z$/);
    assert.equal((await bob.visit(`/wait/${queue}/go`)).way.at(-1), "/shop");

    const back = await ann.get(`/wait/${queue}`);
    assert.deepEqual([stateIn(back).status, stateIn(back).position], ["waiting", 1]);
    const { active, completed, waiting: inLine } = await reception.desk.stats(queue);
    assert.deepEqual([active, completed, inLine], [1, 1, 1]);
  });

  test("without a return address, the page says that the person is in", async () => {
    const queue = await reception.newQueue({ returnAddresses: [] });
    const ann = reception.browser();
    assert.equal(stateIn(await ann.get(`/wait/${queue}`)).status, "admitted");
    const inside = await ann.visit(`/wait/${queue}/go`);
    assert.deepEqual([inside.status, stateIn(inside).status], [200, "active"]);
    assert.equal((await ann.get(`/gate/${queue}`)).status, 204);
  });

  test("[AD7] on another origin, which gets no cookie, the token in the address claims the same session", async () => {
    const queue = await reception.newQueue({
      returnAddresses: ["https://shop.example/in"],
      claimTimeoutSeconds: 60,
    });
    const ann = reception.browser();
    const { headers } = await ann.visit(
      `/wait/${queue}?return=${encodeURIComponent("https://shop.example/in/x?y=1#z")}`,
    );
    const [, token] = /^https:\/\/shop\.example\/in\/x\?y=1&openseat_token=([\w.-]+)#z$/.exec(
      headers.location!,
    )!;
    const { serviceKey } = reception.server;
    const claim = (shown: string) =>
      reception.desk.client.post("/api/v1/sessions", { token: serviceKey, body: { token: shown, queue } });
    const claimed = await claim(token);
    assert.equal(claimed.status, 200, claimed.text);
    assert.equal(claimed.body.data.session.id, ann.cookie(`openseat_session_${queue}`)!.value);
    // During the session, too.
    const again = await ann.visit(`/wait/${queue}`);
    const [, later] = /^https:\/\/shop\.example\/in\?openseat_token=([\w.-]+)$/.exec(
      again.headers.location!,
    )!;
    assert.equal((await claim(later)).status, 200);
    assert.equal((await reception.desk.stats(queue)).active, 1);
  });

  test("after a form, nobody is sent to another origin without a click, because the page's policy would block it", async () => {
    const queue = await reception.newQueue({ returnAddresses: ["https://shop.example/"] });
    const ann = reception.browser();
    await ann.visit(`/wait/${queue}`);
    const { status, headers } = await ann.post(`/wait/${queue}/enter`);
    assert.deepEqual([status, headers.location], [303, `/wait/${queue}/move`]);
    assert.match((await ann.get(headers.location!)).text, new RegExp(`href="/wait/${queue}/go"`));
  });

  test("leaving gives up the place, says so once, and allows joining again", async () => {
    const { queue } = await reception.fullQueue();
    const [ann, bob] = [reception.browser(), reception.browser()];
    await ann.get(`/wait/${queue}`);
    await bob.get(`/wait/${queue}`);
    const left = await ann.post(`/wait/${queue}/leave?return=/shop/x`, { form: {} });
    assert.deepEqual([left.status, left.headers.location], [303, `/wait/${queue}?return=%2Fshop%2Fx`]);
    assert.equal(stateIn(await bob.get(`/wait/${queue}`)).position, 1);
    const gone = await ann.get(left.headers.location!);
    assert.deepEqual([gone.status, stateIn(gone).status, stateIn(gone).reason], [200, "gone", "cancelled"]);
    assert.equal((await reception.desk.stats(queue)).waiting, 1, "the page did not enter them again");
    const { body } = await ann.get(`/wait/${queue}/state`);
    assert.deepEqual([body.data.status, body.data.reason], ["gone", "cancelled"]);
    // Again: there is nothing left to leave, and nobody enters.
    assert.equal(stateIn(await ann.post(`/wait/${queue}/leave`)).status, "gone");
    assert.equal((await reception.desk.stats(queue)).waiting, 1);
    const joined = await ann.post(`/wait/${queue}/enter`);
    assert.equal(stateIn(await ann.get(joined.headers.location!)).position, 2);
    // Joining twice counts once.
    await ann.post(`/wait/${queue}/enter`);
    assert.equal((await reception.desk.stats(queue)).waiting, 2);
  });

  test("a line with the id assets works like any other", async () => {
    const { queue } = await reception.desk.fullQueue({ id: "assets" });
    const ann = reception.browser();
    assert.equal(stateIn(await ann.get(`/wait/${queue}`)).position, 1);
    assert.equal((await ann.get(`/wait/${queue}/state`)).status, 200);
    assert.equal((await ann.get(`/wait/${queue}/move`)).status, 200);
  });

  test("while the line is paused people enter and keep their places, and the page says so", async () => {
    const queue = await reception.newQueue();
    await reception.desk.pause(queue);
    const ann = reception.browser();
    const answer = await ann.get(`/wait/${queue}`);
    assert.deepEqual([stateIn(answer).status, stateIn(answer).paused], ["waiting", true]);
    await reception.desk.resume(queue);
    assert.equal(stateIn(await ann.get(`/wait/${queue}`)).status, "admitted");
  });

  test("[LN10] places from the page are stored like those from the API", async () => {
    const { queue } = await reception.fullQueue();
    const ann = reception.browser({ "user-agent": "A browser/1.0" });
    await ann.get(`/wait/${queue}`);
    const { body } = await reception.desk.details(
      ann.cookie("openseat_place")!.value,
      reception.server.operatorKey,
    );
    assert.equal(body.data.details.userAgent, "A browser/1.0");
    assert.match(body.data.details.address, /^[\w-]{16}$/);
    const limited = await reception.newQueue({ maxPerAddress: 1 });
    await reception.browser().get(`/wait/${limited}`);
    assertErrorPage(await reception.browser().get(`/wait/${limited}`), 429, "limit.address");
  });

  test("script and style are compressed for clients that accept it, and can be cached forever", async () => {
    const { queue } = await reception.fullQueue();
    const ann = reception.browser();
    const { text } = await ann.get(`/wait/${queue}`);
    const paths = [...text.matchAll(/"(\/wait\/assets\/[^"]+)"/g)].map(([, path]) => path);
    assert.equal(paths.length, 2);
    for (const path of paths) {
      const plain = await ann.get(path);
      assert.equal(plain.status, 200);
      assert.match(String(plain.headers["cache-control"]), /max-age=31536000, immutable/);
      assert.match(String(plain.headers["content-type"]), /^text\/(css|javascript); charset=utf-8$/);
      assert.equal(plain.headers["content-encoding"], undefined);
      const packed = await ann.get(path, { headers: { "accept-encoding": "br, gzip" } });
      assert.equal(packed.headers["content-encoding"], "gzip");
      assert.ok(Number(packed.headers["content-length"]) < Number(plain.headers["content-length"]));
      const unwilling = await ann.get(path, { headers: { "accept-encoding": "gzip;q=0" } });
      assert.equal(unwilling.headers["content-encoding"], undefined);
    }
    assertRefused(await ann.get("/wait/assets/wait-000000000000.js"), 404, "route.not-found");
  });
});

test("[LS4] [LS5] after a restart, everyone keeps their place, their session and their code", async () => {
  let server = await startServer();
  const desk = new Desk(server);
  const queue = await desk.newQueue({ id: "shop", returnAddresses: ["/shop"] });
  let [ann, bob] = [new Browser(server.url), new Browser(server.url)];
  await ann.visit(`/wait/${queue}`);
  await bob.get(`/wait/${queue}`);
  const code = /<p class="code">([^<]+)</.exec((await bob.get(`/wait/${queue}/move`)).text)![1];
  const cookies = [ann, bob].map((it) => it.cookiesFor(`/wait/${queue}`));
  for (const it of [ann, bob]) it.close();
  server = await server.restart();
  [ann, bob] = cookies.map((cookie) => new Browser(server.url, { cookie }));
  const cid = new Browser(server.url);
  try {
    assert.equal((await ann.get(`/gate/${queue}`)).status, 204);
    assert.equal(stateIn(await bob.get(`/wait/${queue}`)).position, 1);
    assert.equal((await cid.post(`/wait/${queue}/move`, { form: { code } })).status, 303);
    assert.equal(stateIn(await cid.get(`/wait/${queue}`)).position, 1);
  } finally {
    for (const it of [ann, bob, cid]) it.close();
    await server.stop();
  }
});
