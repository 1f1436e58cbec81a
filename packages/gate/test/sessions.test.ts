import assert from "node:assert/strict";
import { afterEach, beforeEach, suite, test } from "node:test";
import { newSigningKey } from "../../server/src/config/signing-keys.ts";
import { until } from "../../server/test/support/http.ts";
import { Stage } from "./support/stage.ts";
import { gateCall, keysCall, StandIn, sessionIdOf } from "./support/stand-in.ts";

suite("sessions", () => {
  let openseat: StandIn;
  beforeEach(async () => {
    openseat = await StandIn.start();
  });
  afterEach(() => openseat.stop());

  const heartbeats = () => openseat.asked.filter((asked) => asked.endsWith("/heartbeat")).length;

  test("[LS2] requests of a visitor send heartbeats in the background, one per interval", async () => {
    let sent = 0;
    const counting: typeof fetch = (input, init) => {
      if (String(input).endsWith("/heartbeat")) sent++;
      return fetch(input, init);
    };
    const stage = new Stage(openseat, { heartbeatSeconds: 3_600, fetch: counting });
    const cookie = await stage.enter();
    for (let interval = 1; interval <= 3; interval++) {
      for (let visit = 0; visit < 3; visit++)
        assert.equal((await stage.visit("/", { cookie })).passed, "admitted");
      assert.equal(sent, interval);
      stage.advance(1_800_000);
      await stage.visit("/", { cookie });
      assert.equal(sent, interval, "it is too early");
      stage.advance(1_800_000);
    }
    await until("they arrive", () => heartbeats() === 3);
  });

  test("heartbeats are bounded in number, and a hanging one delays no visitor", async () => {
    const stage = new Stage(openseat, { timeoutSeconds: 60 });
    await stage.enter();
    openseat.mood = "hangs";
    for (let ticket = 1_000; ticket < 1_200; ticket++) {
      const cookie = `openseat_admission_shop=${openseat.session(ticket)}`;
      assert.equal((await stage.visit("/", { cookie })).passed, "admitted");
    }
    await until("the heartbeats arrive", () => heartbeats() === 32);
    openseat.mood = "fine";
  });

  test("heartbeats continue after an outage, without a new visitor", async () => {
    const stage = new Stage(openseat, { heartbeatSeconds: 0.1 });
    const cookie = await stage.enter();
    openseat.mood = "fails";
    await until("the gate notices", async () => (await stage.visit("/")).status === 503);
    openseat.recover();
    await until("a heartbeat", async () => {
      assert.equal((await stage.visit("/", { cookie })).passed, "admitted");
      return heartbeats() > 0;
    });
  });

  test("[AD8] a session that is ended early is noticed at the next heartbeat", async () => {
    const stage = new Stage(openseat, { heartbeatSeconds: 0.1 });
    const cookie = await stage.enter();
    openseat.ended.add(sessionIdOf(stage.ticket));
    await until("the gate notices", async () => (await stage.visit("/", { cookie })).status === 303);
  });

  test("[AD9] with check: call, a session that is ended early stops at once", async () => {
    const stage = new Stage(openseat, { check: "call" });
    const cookie = await stage.enter();
    for (let visit = 0; visit < 3; visit++)
      assert.equal((await stage.visit("/", { cookie })).passed, "admitted");
    assert.equal(openseat.count(gateCall), 3);
    assert.equal(heartbeats(), 0, "the check is a heartbeat");
    openseat.ended.add(sessionIdOf(stage.ticket));
    assert.equal((await stage.visit("/", { cookie })).status, 303);
    assert.equal((await stage.visit("/", { cookie: "openseat_admission_shop=a.b.c" })).status, 303);
    assert.equal(openseat.count(gateCall), 4, "a forged cookie needs no call");
  });

  test("a new key is fetched for the first token under it, and the old one stays valid", async () => {
    const stage = new Stage(openseat, { heartbeatSeconds: 0 });
    const cookie = await stage.enter();
    openseat.stage.keys = [newSigningKey(Date.now()), ...openseat.stage.keys];
    openseat.asked.length = 0;
    const token = stage.admit();
    const statuses = new Set<number>();
    await until("the new key counts", async () => {
      const { status, cookies } = await stage.visit(`/?openseat_token=${token}`);
      statuses.add(status);
      return cookies.length === 1;
    });
    assert.equal(openseat.count(keysCall), 1);
    // A redirect to the waiting page would come straight back.
    assert.deepEqual([...statuses].toSorted(), [303, 503].slice(0, statuses.size).toSorted());
    assert.equal((await stage.visit("/", { cookie })).passed, "admitted");
  });

  test("a key that is gone opens nothing once the keys are fetched again", async () => {
    const stage = new Stage(openseat, { heartbeatSeconds: 0 });
    const cookie = await stage.enter();
    openseat.stage.keys = [newSigningKey(Date.now())];
    const token = stage.admit();
    await until("the new key counts", async () => {
      return (await stage.visit(`/?openseat_token=${token}`)).cookies.length === 1;
    });
    assert.equal((await stage.visit("/", { cookie })).status, 303);
  });
});

suite("garbage from Openseat", { concurrency: true }, () => {
  for (const [name, keys] of Object.entries({
    nonsense: "nonsense",
    null: "null",
    "a list": "[]",
    "no list": '{"keys":{}}',
    "no key": '{"keys":[]}',
    "odd keys": '{"keys":[null,1,"x",{"kty":"RSA","kid":"a"}]}',
    "a damaged key": '{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"a","x":"!"}]}',
    "too many keys": `{"keys":[${"{},".repeat(200)}{}]}`,
    "an endless list": "x".repeat(1_000_000),
  }))
    test(`${name} instead of keys leaves the old ones in use`, async () => {
      const own = await StandIn.start();
      const stage = new Stage(own, { heartbeatSeconds: 0 });
      const cookie = await stage.enter();
      own.stage.keys = [newSigningKey(Date.now()), ...own.stage.keys];
      own.keys = keys;
      own.asked.length = 0;
      const token = stage.admit();
      await until("the keys are fetched", async () => {
        assert.deepEqual((await stage.visit(`/?openseat_token=${token}`)).cookies, []);
        return own.count(keysCall) > 0;
      });
      assert.equal((await stage.visit("/", { cookie })).passed, "admitted");
      own.recover();
      await until("the new key counts", async () => {
        return (await stage.visit(`/?openseat_token=${token}`)).cookies.length === 1;
      });
      await own.stop();
    });
});
