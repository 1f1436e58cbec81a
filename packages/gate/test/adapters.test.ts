import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import { sayRaw } from "../../server/test/support/http.ts";
import { openseatGate as honoGate } from "../src/hono.ts";
import { openseatGate as nextGate } from "../src/next.ts";
import { openseatGate as nodeGate } from "../src/node.ts";
import type { NodeRequest } from "../src/visit/node-request.ts";
import { Stage, shop } from "./support/stage.ts";
import { StandIn } from "./support/stand-in.ts";

suite("adapters", () => {
  let openseat: StandIn;
  let stage: Stage;
  before(async () => {
    openseat = await StandIn.start();
    stage = new Stage(openseat);
  });
  after(() => openseat.stop());

  const options = () => ({
    openseat: openseat.url,
    issuer: openseat.issuer,
    queue: openseat.queue,
    serviceKey: openseat.serviceKey,
    site: shop,
  });

  async function serving<T>(listener: RequestListener, work: (url: string) => Promise<T>): Promise<T> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  const ask = (url: string, init: RequestInit = {}) => fetch(url, { redirect: "manual", ...init });

  test("node:http: a target that is not a path is refused, because frameworks and parsers disagree about it", async () => {
    const gate = nodeGate({ ...options(), bypass: ["/", "/healthz", "/assets/*"] });
    const listener: RequestListener = (request, response) =>
      gate(request, response, () => response.end("inside"));
    await serving(listener, async (url) => {
      for (const target of [
        "http://x/checkout/../assets/a",
        "http://x/checkout/%2e%2e/healthz",
        "http:///checkout",
        "http://x?/checkout",
      ]) {
        const raw = `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
        assert.match(await sayRaw(url, raw), /^HTTP\/1\.1 400 /, target);
      }
    });
  });

  test("node:http: visitors wait, enter, are served and complete", async () => {
    const gate = nodeGate(options());
    const listener: RequestListener = (request, response) =>
      gate(request, response, async () => {
        response.appendHeader("Set-Cookie", "theme=dark");
        if (request.url === "/buy") assert.equal((await gate.complete(request)).ended, true);
        response.end(`Hello, ${gate.visit(request)?.person}.`);
      });
    await serving(listener, async (url) => {
      const turnedAway = await ask(`${url}/x?y=1`);
      assert.equal(turnedAway.headers.get("location"), stage.waitingPage(`${shop}/x?y=1`));
      const entered = await ask(`${url}/x?openseat_token=${stage.admit()}`);
      assert.deepEqual([entered.status, entered.headers.get("location")], [303, `${shop}/x`]);
      const [cookie] = entered.headers.getSetCookie()[0].split(";");
      const served = await ask(`${url}/x`, { headers: { cookie } });
      assert.equal(await served.text(), "Hello, ann.");
      assert.deepEqual(served.headers.getSetCookie(), ["theme=dark"]);
      const bought = await ask(`${url}/buy`, { method: "POST", headers: { cookie }, body: "x" });
      assert.equal(bought.headers.getSetCookie().length, 2);
      assert.match(bought.headers.getSetCookie()[1], /^openseat_admission_shop=; Path=\/; Max-Age=0/);
      assert.equal((await ask(`${url}/x`, { headers: { cookie } })).status, 303);
    });
  });

  test("node:http: request targets that are no path get 400", async () => {
    const gate = nodeGate(options());
    await serving(
      (request, response) => gate(request, response, () => response.end("in")),
      async (url) => {
        for (const target of ["*", "javascript:alert(1)", "x", "https://evil.test/x"]) {
          const raw = `OPTIONS ${target} HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n`;
          assert.match(await sayRaw(url, raw), /^HTTP\/1\.1 400 /, target);
        }
      },
    );
  });

  test("Express: a mounted gate keeps the whole path, and limits its cookie to the mount", async () => {
    const gate = nodeGate(options());
    // What Express does to a request below `app.use("/shop", gate)`, and later in another router.
    const listener: RequestListener = (received, response) => {
      const request = received as IncomingMessage & { originalUrl: string; baseUrl: string };
      request.originalUrl = request.url!;
      request.baseUrl = "/shop";
      request.url = request.url!.slice("/shop".length) || "/";
      return gate(request, response, async () => {
        request.baseUrl = "/shop/buy";
        if (request.url === "/buy") await gate.complete(request as NodeRequest);
        response.end("in");
      });
    };
    await serving(listener, async (url) => {
      const turnedAway = await ask(`${url}/shop/cart?x=1`);
      assert.equal(turnedAway.headers.get("location"), stage.waitingPage(`${shop}/shop/cart?x=1`));
      const entered = await ask(`${url}/shop/cart?openseat_token=${stage.admit()}`);
      assert.equal(entered.headers.get("location"), `${shop}/shop/cart`);
      const [line] = entered.headers.getSetCookie();
      assert.match(line, /; Path=\/shop; /);
      const bought = await ask(`${url}/shop/buy`, { headers: { cookie: line.split(";")[0] } });
      assert.equal(await bought.text(), "in");
      assert.match(bought.headers.getSetCookie()[0], /=; Path=\/shop; Max-Age=0/);
      const script = await ask(`${url}/shop/api`, { headers: { accept: "application/json" } });
      const { data } = (await script.json()) as { data: { waitingRoom: string } };
      assert.equal(data.waitingRoom, stage.waitingPage(`${shop}/shop`));
    });
  });

  test("node:http: an error of the gate goes to the next handler, and one of the site is the site's", async () => {
    const broken = new Error("a bug");
    const gate = nodeGate({
      ...options(),
      isApiCall: () => {
        throw broken;
      },
    });
    const request = { method: "GET", url: "/", headers: {} };
    const passedOn: unknown[] = [];
    await gate(request, {} as never, (error) => passedOn.push(error));
    assert.deepEqual(passedOn, [broken]);
    const open = nodeGate({ ...options(), bypass: ["/"] });
    await assert.rejects(
      open(request, {} as never, () => Promise.reject(broken)),
      broken,
    );
  });

  test("Hono: visitors wait, enter, are served and complete", async () => {
    const gate = honoGate(options());
    const visit = async (path: string, cookie = "", handler = () => new Response("in")) => {
      const raw = new Request(`http://localhost${path}`, { headers: { cookie } });
      const c = {
        req: { raw },
        res: new Response(null),
        get executionCtx(): never {
          throw new Error("This context has no ExecutionContext");
        },
      };
      const next = async () => {
        // As middleware does that reads the body.
        c.req.raw = new Request(c.req.raw);
        assert.equal(gate.visit(c)?.person, "ann");
        if (path === "/buy") await gate.complete(c);
        c.res = handler();
      };
      return (await gate(c, next)) ?? c.res;
    };
    assert.equal((await visit("/x")).headers.get("location"), stage.waitingPage(`${shop}/x`));
    const entered = await visit(`/x?openseat_token=${stage.admit()}`);
    const [cookie] = entered.headers.getSetCookie()[0].split(";");
    const served = await visit("/x", cookie);
    assert.deepEqual([await served.text(), served.headers.getSetCookie()], ["in", []]);
    const bought = await visit("/buy", cookie, () => Response.redirect("https://shop.test/thanks"));
    assert.equal(bought.status, 302);
    assert.match(bought.headers.getSetCookie()[0], /=; Path=\/; Max-Age=0/);
  });

  test("Next: the proxy answers or lets pass, and a route completes", async () => {
    const gate = nextGate(options());
    const waiting: Promise<unknown>[] = [];
    const event = { waitUntil: (promise: Promise<unknown>) => void waiting.push(promise) };
    const visit = (path: string, cookie = "") =>
      gate(new Request(`http://localhost${path}`, { headers: { cookie } }), event);
    assert.equal((await visit("/x"))?.headers.get("location"), stage.waitingPage(`${shop}/x`));
    const entered = await visit(`/x?openseat_token=${stage.admit()}`);
    const [cookie] = entered!.headers.getSetCookie()[0].split(";");
    assert.equal(await visit("/x", cookie), undefined);
    assert.equal(waiting.length, 1, "the heartbeat outlives the request");
    const route = nextGate(options());
    const completion = await route.complete(new Request("http://localhost/buy", { headers: { cookie } }));
    assert.equal(completion.ended, true);
    assert.match(completion.cookie, /^openseat_admission_shop=; Path=\/; Max-Age=0/);
  });
});
