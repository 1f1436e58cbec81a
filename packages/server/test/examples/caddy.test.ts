import assert from "node:assert/strict";
import { LiveClient } from "../live/clients.ts";
import { Desk } from "../queues/desk.ts";
import { Browser, stateIn } from "../support/browser.ts";
import { type Caddy, missingCaddy, startCaddy } from "../support/caddy.ts";
import type { Json } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { Site } from "../support/site.ts";
import { issuerFlags } from "../support/tokens.ts";
import { StreamClient } from "../wait/stream-client.ts";

const { after, before, describe, test } = testsNeeding(missingCaddy);

const portOf = (url: string) => Number(new URL(url).port);

describe("examples/caddy/Caddyfile", () => {
  let openseat: TestServer;
  let site: Site;
  let caddy: Caddy;
  let desk: Desk;
  const open: Browser[] = [];

  before(async () => {
    openseat = await startServer([...issuerFlags, "--trust-proxy"]);
    desk = new Desk(openseat);
    await desk.newQueue({ id: "shop", title: "The shop", maxActive: 1, returnAddresses: ["/"] });
    site = await Site.start();
    caddy = await startCaddy(portOf(openseat.url), site.port);
  });
  after(async () => {
    for (const browser of open) browser.close();
    await caddy?.stop();
    await site?.stop();
    await openseat?.stop();
  });

  function browser(): Browser {
    const made = new Browser(caddy.url);
    open.push(made);
    return made;
  }

  /** Ends the visit, as the site does. */
  async function complete(visitor: Browser): Promise<void> {
    const { value } = visitor.cookie("openseat_session_shop")!;
    const path = `/api/v1/sessions/${value}/complete`;
    const { status, text } = await openseat.client.post(path, { token: openseat.operatorKey });
    assert.equal(status, 200, text);
  }

  test("[AD9] [AD8] visitors are sent to the line and let in one after the other", async () => {
    const [ann, bob] = [browser(), browser()];
    const first = await ann.get("/cart?x=1&y=a%20b");
    assert.equal(first.status, 302);
    assert.equal(first.headers.location, "/wait/shop?return=%2Fcart%3Fx%3D1%26y%3Da%2520b");
    assert.equal(first.headers["cache-control"], "no-store");
    assert.ok(!first.text.includes("You are in"));
    const landed = await ann.visit(first.headers.location!);
    assert.equal(landed.way.at(-1), "/cart?x=1&y=a%20b");
    assert.match(landed.text, /You are in/);

    assert.equal(stateIn(await bob.visit("/")).position, 1);
    const stream = await StreamClient.open(caddy.url, bob, "shop");
    assert.equal((await stream.first("state")).position, 1, "Caddy does not buffer the stream");
    await complete(ann);
    assert.equal((await stream.first("state", ({ status }) => status === "admitted")).position, 0);
    stream.close();
    assert.equal((await ann.get("/")).status, 302);
    assert.match((await bob.visit("/wait/shop/go?return=%2F")).text, /You are in/);
    const bought = await bob.post("/buy", { form: { item: "x".repeat(200_000) } });
    assert.match(bought.text, /Thank you!/);
    assert.equal(bought.headers["openseat-session"], undefined);
    await complete(bob);
  });

  test("[AD9] an altered, invented or foreign cookie leads only to the line", async () => {
    const ann = browser();
    for (const bad of ["shop-1-aaaaaaaaaaaaaaaa", "", "x".repeat(3_000)]) {
      ann.tamper("openseat_session_shop", bad);
      const { status, headers } = await ann.get("/");
      assert.deepEqual([status, headers.location], [302, "/wait/shop?return=%2F"], bad.slice(0, 30));
    }
  });

  test("[AD7] a token in the address is claimed, the cookie passed on, and the site's passwords are not", async () => {
    const { token } = await desk.entered("shop", "dan");
    const dan = browser();
    const basic = { headers: { authorization: "Basic YW5uOnNlY3JldA==" } };
    const { status, text } = await dan.get(`/?openseat_token=${token}`, basic);
    assert.equal(status, 200);
    assert.match(text, /You are in/);
    assert.match(dan.cookie("openseat_session_shop")!.terms, /HttpOnly; SameSite=Lax$/);
    assert.equal((await dan.get("/")).status, 200);
    await complete(dan);
  });

  test("[AU7] operator routes cannot be reached, and no other route is blocked", async () => {
    const { paths } = (await openseat.client.get("/openapi.json")).body;
    const ann = browser();
    let blocked = 0;
    for (const [path, methods] of Object.entries(paths as Json))
      for (const [method, operation] of Object.entries(methods as Json)) {
        if (!path.startsWith("/api/v1/") || path === "/api/v1/live" || path.endsWith("/events")) continue;
        const isOperators = String((operation as Json)["x-access"]) === "operator";
        const asked = path.replaceAll(/\{\w+\}/g, "some-1");
        const encoded = asked.replace(/(?<=v1\/)./, (first) => `%${first.charCodeAt(0).toString(16)}`);
        for (const each of isOperators ? [asked, `${asked}/`, encoded] : [asked]) {
          const headers = { authorization: `Bearer ${isOperators ? openseat.operatorKey : ""}` };
          const answer = await ann.client.call(each, { method: method.toUpperCase(), headers });
          const isAnswered = answer.headers["x-request-id"] !== undefined;
          assert.equal(isAnswered, !isOperators, `${method} ${each}`);
          if (isOperators) blocked++;
        }
      }
    assert.ok(blocked >= 30);
    assert.equal((await ann.get("/metrics")).status, 302, "that is a page of the site");
  });

  test("the live connection and the keys are available on the same host", async () => {
    const ann = browser();
    assert.equal((await ann.get("/.well-known/jwks.json")).body.keys.length, 1);
    const live = await LiveClient.open(caddy.url);
    assert.equal((await live.ask({ type: "ping" })).status, 200);
    live.close();
  });
});
