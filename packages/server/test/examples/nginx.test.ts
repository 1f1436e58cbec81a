import assert from "node:assert/strict";
import { request } from "node:http";
import { LiveClient } from "../live/clients.ts";
import { Desk } from "../queues/desk.ts";
import { Browser, stateIn } from "../support/browser.ts";
import { until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { missingNginx, type Nginx, startNginx } from "../support/nginx.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { Site } from "../support/site.ts";
import { issuerFlags } from "../support/tokens.ts";
import { StreamClient } from "../wait/stream-client.ts";

const { after, before, describe, test } = testsNeeding(missingNginx);

const portOf = (url: string) => Number(new URL(url).port);

describe("examples/nginx", () => {
  let openseat: TestServer;
  let site: Site;
  let nginx: Nginx;
  let desk: Desk;
  const open: Browser[] = [];

  before(async () => {
    openseat = await startServer([...issuerFlags, "--trust-proxy"]);
    desk = new Desk(openseat);
    await desk.newQueue({ id: "shop", title: "The shop", maxActive: 1, returnAddresses: ["/"] });
    site = await Site.start();
    nginx = await startNginx({ openseatPort: portOf(openseat.url), sitePort: site.port });
  });
  after(async () => {
    for (const browser of open) browser.close();
    await nginx?.stop();
    await site?.stop();
    await openseat?.stop();
  });

  function browser(): Browser {
    const made = new Browser(nginx.url);
    open.push(made);
    return made;
  }

  /** Buys, which ends the visit. */
  async function done(visitor: Browser): Promise<void> {
    const { status, text, headers } = await visitor.post("/buy", { form: { item: "seat" } });
    assert.equal(status, 200);
    assert.match(text, /Thank you!/);
    assert.equal(headers["openseat-session"], undefined, "the header stays between the site and nginx");
    // nginx reads on from this connection only after it has notified Openseat.
    assert.equal((await visitor.get("/.well-known/jwks.json")).status, 200);
  }

  test("[AD9] [AD8] the whole way: into the line, in, completed, and into the line again; the next person is admitted", async () => {
    const [ann, bob] = [browser(), browser()];
    const first = await ann.get("/cart?x=1&y=a%20b");
    assert.equal(first.status, 302);
    assert.equal(first.headers.location, "/wait/shop?return=%2Fcart%3Fx%3D1%26y%3Da%2520b");
    assert.equal(first.headers["cache-control"], "no-store");
    assert.ok(!first.text.includes("You are in"));

    const landed = await ann.visit(first.headers.location!);
    assert.equal(landed.way.at(-1), "/cart?x=1&y=a%20b");
    assert.equal(landed.status, 200);
    assert.match(landed.text, /You are in/);
    assert.match(
      ann.cookie("openseat_session_shop")!.terms,
      /^Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
    );
    assert.match(ann.cookie("openseat_guest")!.terms, /HttpOnly; SameSite=Lax$/);

    const waiting = await bob.visit("/");
    assert.equal(stateIn(waiting).status, "waiting");
    assert.equal(stateIn(waiting).position, 1);
    const stream = await StreamClient.open(nginx.url, bob, "shop");
    assert.equal((await stream.first("state")).position, 1, "nginx does not buffer the stream");

    await done(ann);
    const again = await ann.visit("/");
    assert.deepEqual([again.way, stateIn(again).status], [["/", "/wait/shop?return=%2F"], "waiting"]);
    assert.equal((await stream.first("state", ({ status }) => status === "admitted")).position, 0);
    stream.close();
    assert.equal(stateIn(await bob.get("/wait/shop")).status, "admitted");
    const { text } = await bob.visit("/wait/shop/go?return=%2F");
    assert.match(text, /You are in/);

    await done(bob);
    assert.match((await ann.visit("/wait/shop/go")).text, /You are in/);
    await done(ann);
    const { completed, active } = await desk.stats("shop");
    assert.deepEqual([completed, active], [3, 0]);
  });

  test("[AD9] an altered, invented or foreign cookie leads only to the line", async () => {
    const ann = browser();
    await ann.visit("/");
    const good = ann.cookie("openseat_session_shop")!.value;
    for (const bad of [
      good.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
      "shop-1-aaaaaaaaaaaaaaaa",
      "",
      "x".repeat(3_000),
    ]) {
      ann.tamper("openseat_session_shop", bad);
      const { status, headers } = await ann.get("/");
      assert.deepEqual([status, headers.location], [302, "/wait/shop?return=%2F"], bad.slice(0, 30));
    }
    ann.tamper("openseat_session_shop", good);
    assert.equal((await ann.get("/")).status, 200);
    await done(ann);
  });

  test("[AD7] a token in the address of a site on another host is claimed at its gate, and the cookie passed on", async () => {
    const { token } = await desk.entered("shop", "dan");
    const dan = browser();
    const { status, text } = await dan.get(`/?openseat_token=${token}`);
    assert.equal(status, 200);
    assert.match(text, /You are in/);
    assert.match(dan.cookie("openseat_session_shop")!.terms, /HttpOnly; SameSite=Lax$/);
    assert.equal((await dan.get("/")).status, 200);
    await done(dan);
    const { headers } = await dan.get(`/?openseat_token=${token}`);
    assert.equal(headers.location, "/wait/shop?return=%2F");
  });

  test("internal locations between nginx and Openseat cannot be requested from outside", async () => {
    const ann = browser();
    await ann.visit("/");
    for (const path of ["/-/openseat/gate", "/-/openseat/complete", "/-/openseat/", "/-/openseat/x"]) {
      assert.equal((await ann.get(path)).status, 404, path);
      assert.equal((await ann.post(path)).status, 404, path);
    }
    assert.match((await ann.get("/gate/shop/complete")).text, /You are in/, "an ordinary path of the site");
    assert.equal((await ann.post("/gate/shop/complete")).status, 200);
    assert.equal((await ann.get("/")).status, 200, "the visit continues");
    await done(ann);
  });

  test("the site's own passwords do not reach Openseat, and bodies reach the site complete", async () => {
    const ann = browser();
    const basic = { headers: { authorization: "Basic YW5uOnNlY3JldA==" } };
    assert.equal((await ann.get("/", basic)).headers.location, "/wait/shop?return=%2F");
    await ann.visit("/");
    assert.equal((await ann.get("/", basic)).status, 200);
    assert.ok((await ann.get("/wait/shop", basic)).status < 400);
    const large = await ann.post("/form", { form: { text: "x".repeat(200_000) } });
    assert.equal(large.status, 200);
    await done(ann);
  });

  test("[AD8] a visit is completed also if the person comes back from another site, such as a payment page", async () => {
    const ann = browser();
    await ann.visit("/");
    const { completed } = await desk.stats("shop");
    const { status } = await ann.post("/buy", { headers: { "sec-fetch-site": "cross-site" } });
    assert.equal(status, 200);
    assert.equal((await ann.get("/.well-known/jwks.json")).status, 200);
    const after = await desk.stats("shop");
    assert.deepEqual([after.completed, after.active], [completed + 1, 0]);
  });

  test("[AD8] a visit is completed also if the browser disconnects during the last response", async () => {
    const [ann, bob] = [browser(), browser()];
    await ann.visit("/");
    assert.equal(stateIn(await bob.visit("/")).status, "waiting");
    const buying = request(`${nginx.url}/buy`, {
      method: "POST",
      headers: { cookie: ann.cookiesFor("/buy") },
      agent: false,
    });
    buying.on("error", () => {});
    buying.on("response", () => buying.destroy());
    buying.end();
    await until("bob's turn", async () => stateIn(await bob.get("/wait/shop")).status === "admitted");
    assert.match((await bob.visit("/wait/shop/go")).text, /You are in/);
    await done(bob);
  });

  test("the API, the live connection and the keys are available on the same host", async () => {
    const ann = browser();
    assert.equal((await ann.get("/api/v1/queues/shop")).body.data.queue.title, "The shop");
    assert.equal((await ann.get("/.well-known/jwks.json")).body.keys.length, 1);
    const live = await LiveClient.open(nginx.url);
    assert.equal((await live.ask({ type: "ping" })).status, 200);
    live.close();
  });

  test("[AU7] operator routes cannot be reached through nginx", async () => {
    const ann = browser();
    const headers = { authorization: `Bearer ${openseat.operatorKey}` };
    for (const path of ["/api/v1/queues", "/api/v1/queues/shop/pause", "/api/v1/%71ueues/shop/pause"])
      assert.equal((await ann.post(path, { headers })).status, 404, path);
    assert.equal((await ann.get("/api/v1/chat/dead-letters", { headers })).status, 404);
    assert.equal((await ann.get("/metrics")).status, 302, "that is a page of the site");
    assert.equal((await ann.get("/api/v1/queues/shop")).body.data.queue.status, "OPEN");
  });

  test("Openseat sees the visitors' own addresses", async () => {
    const ann = browser();
    await ann.visit("/");
    const eve = browser();
    await eve.get("/wait/shop", { headers: { "x-forwarded-for": "203.0.113.7" } });
    const details = async (who: Browser) =>
      (await desk.details(who.cookie("openseat_place")!.value, openseat.operatorKey)).body.data.details;
    assert.equal(
      (await details(ann)).address,
      (await details(eve)).address,
      "a header from the visitor is ignored",
    );
    await done(ann);
  });
});
