import assert from "node:assert/strict";
import { suite, test } from "node:test";
import Fastify from "fastify";
import Type from "typebox";
import { answering, success } from "../../src/transport/http/envelope.ts";
import { type LadderUseCases, ladderRoutes } from "../../src/transport/http/ladders/ladder-routes.ts";
import { Metrics, metricsRoute } from "../../src/transport/http/metrics.ts";
import { identifyAddresses } from "../../src/transport/limits/identify-addresses.ts";
import { paceLargePages } from "../../src/transport/limits/pace-large-pages.ts";
import { testAddresses } from "../support/addresses.ts";
import { HandLoop } from "../support/hand-loop.ts";
import { range, until, within } from "../support/http.ts";
import { raisedBudgets } from "../support/limits.ts";
import { TestClock } from "../support/test-clock.ts";

suite("expensive reads", () => {
  test("[LM10] an address has up to 64 concurrent lookups; another is refused, and other addresses are served", async () => {
    const app = Fastify();
    identifyAddresses(app, testAddresses(true));
    const { promise: rows, resolve } = Promise.withResolvers<void>();
    let underWay = 0;
    const look = async () => {
      underWay++;
      await rows;
      return { refusal: { code: "ladder.not-found", message: "There is no such ladder." } };
    };
    const book = { history: look, against: look, matches: look };
    const parts = { book, imports: { close() {} } } as unknown as LadderUseCases;
    await ladderRoutes(app, undefined, parts, { budgets: raisedBudgets(), clock: new TestClock() });
    const paths = ["players/ann/history", "players/ann/against/bob", "matches"];
    // Async, because an injected request is sent only once it is awaited.
    const lookUp = async (number: number, address: string) =>
      app.inject({
        url: `/api/v1/ladders/l/${paths[number % paths.length]}`,
        headers: { "x-forwarded-for": address },
      });
    const answers = range(64).map((number) => lookUp(number, "192.0.2.1"));
    const more = range(3).map((number) => lookUp(number, "192.0.2.1"));
    const refused = await within("the refusals", Promise.all(more));
    for (const { statusCode, body } of refused)
      assert.deepEqual([statusCode, JSON.parse(body).code], [429, "limit.address"]);
    const other = lookUp(0, "192.0.2.2");
    resolve();
    for (const { statusCode } of await Promise.all([...answers, other])) assert.equal(statusCode, 404);
    assert.equal(underWay, 65);
    assert.equal((await lookUp(0, "192.0.2.1")).statusCode, 404, "permits are released");
    await app.close();
  });

  test("[LM10] large pages are made one per tick of the event loop, in rotation among addresses; small ones at once", async () => {
    const app = Fastify();
    identifyAddresses(app, testAddresses(true));
    const loop = new HandLoop();
    paceLargePages(app, loop);
    const begun: string[] = [];
    const querystring = Type.Object({ limit: Type.Integer() });
    const show = answering(async ({ address }) => {
      begun.push(address);
      return success(200, "A page.", {});
    });
    app.get("/list", { schema: { querystring } }, show);
    const list = async (limit: number, address: string) =>
      app.inject({ url: `/list?limit=${limit}`, headers: { "x-forwarded-for": address } });
    assert.equal((await within("a small page", list(100, "192.0.2.1"))).statusCode, 200);
    begun.length = 0;
    const crowd = range(5).map(() => list(500, "192.0.2.1"));
    const honest = list(101, "192.0.2.2");
    await until("the first turn", () => loop.turn());
    const perTurn = [begun.length];
    for (let before = begun.length; await loop.turn(); before = begun.length)
      perTurn.push(begun.length - before);
    await Promise.all([...crowd, honest]);
    assert.deepEqual(perTurn, [1, 1, 1, 1, 1, 1]);
    assert.equal(begun[1], "192.0.2.2", "the other address is served after one of the crowd's requests");
    await app.close();
  });

  test("[LM10] metrics are rendered once for all concurrent requests, and once per tick of the event loop", async () => {
    const app = Fastify();
    const loop = new HandLoop();
    const metrics = new Metrics();
    let made = 0;
    const make = metrics.registry.metrics.bind(metrics.registry);
    metrics.registry.metrics = () => {
      made++;
      return make();
    };
    metricsRoute(app, metrics, loop);
    for (const round of [1, 2]) {
      let asked = 0;
      const answers = range(50).map(async () => {
        asked++;
        return app.inject({ url: "/metrics" });
      });
      await until("all have asked", async () => {
        await new Promise(setImmediate);
        return asked === 50;
      });
      await until("their turn", () => loop.turn());
      for (const { statusCode, body } of await within("the metrics", Promise.all(answers)))
        assert.deepEqual([statusCode, body.includes("openseat_")], [200, true]);
      assert.equal(made, round);
    }
    await app.close();
  });
});
