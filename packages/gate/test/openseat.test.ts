import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import { Desk } from "../../server/test/queues/desk.ts";
import { until } from "../../server/test/support/http.ts";
import { startServer, type TestServer } from "../../server/test/support/server.ts";
import type { GateOptions } from "../src/index.ts";
import { openseatGate } from "../src/node.ts";
import { Visitor } from "./support/visitor.ts";

suite("a site behind a real waiting room", () => {
  let server: TestServer;
  let desk: Desk;
  before(async () => {
    server = await startServer([]);
    desk = new Desk(server);
  });
  after(() => server.stop());

  interface Shop {
    readonly url: string;
    readonly queue: string;
    /** The ids of the sessions that were served, newest last. */
    readonly served: string[];
  }

  async function withShop(
    name: string,
    terms: Readonly<Record<string, unknown>>,
    options: Partial<GateOptions>,
    work: (shop: Shop) => Promise<void>,
  ): Promise<void> {
    const served: string[] = [];
    const errors: Error[] = [];
    let gate: ReturnType<typeof openseatGate>;
    const site = createServer((request, response) =>
      gate(request, response, async () => {
        served.push(String(gate.visit(request)?.session));
        if (request.url === "/buy") await gate.complete(request);
        response.end(`You are in: ${request.url}`);
      }),
    );
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const queue = await desk.newQueue({ id: name, returnAddresses: [url], ...terms });
    const given = { openseat: server.url, queue, serviceKey: server.serviceKey, site: url };
    gate = openseatGate({ ...given, onError: (error) => errors.push(error), ...options });
    try {
      await work({ url, queue, served });
      if (!options.onError) assert.deepEqual(errors, []);
    } finally {
      site.closeAllConnections();
      site.close();
    }
  }

  for (const check of ["local", "call"] as const) {
    test(`[AD7] check "${check}": one visitor is in, the next waits until the first has bought`, async () => {
      await withShop(`shop-${check}`, { maxActive: 1 }, { check }, async ({ url, queue }) => {
        const [ann, bob] = [new Visitor(), new Visitor()];
        const page = await ann.visit(`${url}/shoes?size=42`);
        assert.equal(await page.text(), "You are in: /shoes?size=42");
        assert.equal(ann.way.at(-1), `${url}/shoes?size=42`);
        assert.ok(ann.way.some((address) => address.includes("openseat_token=")));
        assert.match(await (await bob.visit(`${url}/boots`)).text(), /data-status="waiting"/);
        assert.match(bob.way.at(-1)!, /\/wait\/shop-/);
        assert.match(await (await ann.visit(`${url}/buy`)).text(), /You are in/);
        const go = `${server.url}/wait/${queue}/go?return=${encodeURIComponent(`${url}/boots`)}`;
        await until("it is the turn of the next", async () => {
          return (await (await bob.visit(go)).text()) === "You are in: /boots";
        });
        assert.match(await (await ann.visit(`${url}/`)).text(), /data-status="waiting"/);
      });
    });

    test(`[AD8] check "${check}": a session that an operator ends is over`, async () => {
      const options = { check, heartbeatSeconds: 0.2 };
      await withShop(`ended-${check}`, { maxActive: 1 }, options, async ({ url, served }) => {
        const ann = new Visitor();
        await ann.visit(`${url}/`);
        const answer = await desk.terminate(served[0], server.operatorKey);
        assert.equal(answer.status, 200);
        if (check === "call") {
          assert.equal((await ann.step(`${url}/`)).status, 303, "at once");
          return;
        }
        await until("the heartbeat notices", async () => (await ann.step(`${url}/`)).status === 303);
      });
    });
  }

  test("[LS2] requests keep a session alive whose queue has a timeout, and silence ends it", async () => {
    const terms = { maxActive: 1, sessionTimeoutSeconds: 5 };
    await withShop("leased", terms, { heartbeatSeconds: 1 }, async ({ url, queue }) => {
      const [ann, bob] = [new Visitor(), new Visitor()];
      await ann.visit(`${url}/`);
      // Longer than twice the timeout, after which silence would have ended it.
      const deadline = Date.now() + 12_000;
      while (Date.now() < deadline) {
        assert.equal((await ann.step(`${url}/`)).status, 200);
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
      assert.match(await (await bob.visit(`${url}/`)).text(), /data-status="waiting"/);
      const go = `${server.url}/wait/${queue}/go?return=${encodeURIComponent(`${url}/`)}`;
      await until("the seat is free", async () => (await (await bob.visit(go)).text()) === "You are in: /");
      await until("the gate notices", async () => (await ann.step(`${url}/`)).status === 303);
    });
  });

  test("visitors inside stay there while Openseat is away", async () => {
    await withShop("away", { maxActive: 10 }, { onError: () => {} }, async ({ url }) => {
      const ann = new Visitor();
      await ann.visit(`${url}/`);
      server = await server.restart();
      desk = new Desk(server);
      // Its port is another one now, so for the gate it is still away.
      for (let visit = 0; visit < 5; visit++) assert.equal((await ann.step(`${url}/`)).status, 200);
      assert.equal((await new Visitor().step(`${url}/`)).status, 503);
    });
  });
});
