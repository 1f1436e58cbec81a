import assert from "node:assert/strict";
import { suite, test } from "node:test";
import Fastify from "fastify";
import { degradationsOf } from "../../src/boot/degradations.ts";
import { Readiness } from "../../src/boot/readiness.ts";
import { noDeliveries } from "../../src/host/outbox/delivery-handlers.ts";
import { LogUnavailable } from "../../src/log/log.ts";
import { healthRoutes } from "../../src/transport/http/health-routes.ts";
import { HeldLog } from "../support/held-log.ts";
import { range } from "../support/http.ts";
import { TestClock, turns } from "../support/test-clock.ts";

function stage() {
  const log = new HeldLog();
  const clock = new TestClock();
  const readiness = new Readiness(log, clock);
  const app = Fastify();
  healthRoutes(app, { whyNotReady: () => readiness.whyNot() });
  const ask = async () => {
    const { statusCode, headers, body } = await app.inject("/readyz");
    return [statusCode, headers["retry-after"], JSON.parse(body)];
  };
  return { log, clock, readiness, app, ask };
}

const ready = [200, undefined, { status: "ready" }];
const unready = (reason: string) => [503, "1", { status: "not ready", reason }];

suite("readiness", () => {
  test("[CL4] it is red with a reason while the log does not answer, and recovers by itself", async () => {
    const { log, ask } = stage();
    assert.deepEqual(await ask(), ready);
    const { nextDue } = log;
    log.nextDue = () => Promise.reject(new LogUnavailable("The database is starting up."));
    assert.deepEqual(await ask(), unready("The database is starting up."));
    log.nextDue = nextDue;
    assert.deepEqual(await ask(), ready);
  });

  test("[CL4] it is red for five seconds after a failed write, even if the log can be read", async () => {
    const { clock, readiness, ask } = stage();
    readiness.noteFailure(new LogUnavailable("The disk of the database is full."));
    assert.equal(readiness.failure, "The disk of the database is full.");
    for (const ms of [0, 4_000]) {
      await clock.advance(ms);
      assert.deepEqual(await ask(), unready("The disk of the database is full."));
    }
    readiness.noteFailure(new LogUnavailable("The database is read-only."));
    await clock.advance(4_000);
    assert.deepEqual(await ask(), unready("The database is read-only."));
    await clock.advance(1_001);
    assert.deepEqual(await ask(), ready);
    assert.equal(readiness.failure, undefined);
  });

  test("[LG10] it turns red within a second while the log does not answer, with one query at a time", async () => {
    const { log, clock, ask } = stage();
    let answer = (_: undefined) => {};
    let questions = 0;
    log.nextDue = () => {
      questions++;
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    for (const _ of range(3)) {
      const asked = range(10).map(() => ask());
      await turns();
      await clock.advance(1_000);
      for (const each of asked) assert.deepEqual(await each, unready("The log has not answered yet."));
    }
    assert.equal(questions, 1);
    const asked = ask();
    answer(undefined);
    assert.deepEqual(await asked, ready);
    assert.equal(clock.timers, 0);
  });

  test("[LG10] it is red while the log is known to be unavailable, and green at once after", async () => {
    const { log, clock, readiness, ask } = stage();
    log.failure = new LogUnavailable("The data folder was removed.");
    await clock.advance(60_000);
    assert.equal(readiness.failure, "The data folder was removed.");
    assert.deepEqual(await ask(), unready("The data folder was removed."));
    log.failure = undefined;
    assert.deepEqual(await ask(), ready);
  });

  test("setting the clock neither hides a failure nor keeps it forever", async () => {
    const { clock, readiness, ask } = stage();
    readiness.noteFailure(new LogUnavailable("It is away."));
    clock.jump(3_600_000);
    assert.deepEqual(await ask(), unready("It is away."));
    clock.jump(-7_200_000);
    await clock.advance(5_001);
    assert.deepEqual(await ask(), ready);
  });

  test("a stopping server turns red first and stays alive", async () => {
    const { app, readiness, ask } = stage();
    readiness.noteStop();
    assert.deepEqual(await ask(), unready("The server is stopping."));
    assert.equal((await app.inject("/healthz")).statusCode, 200);
  });
});

suite("what is degraded", () => {
  const clock = new TestClock();
  const fine = {
    clock,
    deliveries: noDeliveries(),
    unsupported: { report: undefined },
    isIssuerUp: () => true,
  };

  test("[OP4] nothing is listed while all is well; otherwise each part has a sentence", () => {
    assert.deepEqual(degradationsOf(fine), []);
    const partsOf = (deps: Partial<typeof fine>) =>
      degradationsOf({ ...fine, ...deps }).map(({ part }) => part);
    assert.deepEqual(partsOf({ isIssuerUp: () => false }), ["issuer"]);
    assert.deepEqual(partsOf({ deliveries: { ...noDeliveries(), held: 2 } }), ["deliveries"]);
    const all = degradationsOf({
      ...fine,
      isIssuerUp: () => false,
      deliveries: { ...noDeliveries(), held: 2 },
    });
    for (const { message } of all) assert.match(message, /^[A-Z].*\.$/);
  });

  test("[OP4] /readyz lists what is degraded, whether it is green or red", async () => {
    const degraded = [{ part: "issuer", message: "It is away." }];
    let reason: string | undefined;
    const app = Fastify();
    healthRoutes(app, { whyNotReady: async () => reason, degraded: () => degraded });
    const green = await app.inject("/readyz");
    assert.deepEqual([green.statusCode, green.json()], [200, { status: "ready", degraded }]);
    reason = "It stops.";
    const red = await app.inject("/readyz");
    assert.deepEqual([red.statusCode, red.json()], [503, { status: "not ready", reason, degraded }]);
  });
});
