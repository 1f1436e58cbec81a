import assert from "node:assert/strict";
import { afterEach, beforeEach, suite, test } from "node:test";
import { newSigningKey } from "../../server/src/config/signing-keys.ts";
import { until } from "../../server/test/support/http.ts";
import { Stage } from "./support/stage.ts";
import { keysCall, StandIn } from "./support/stand-in.ts";

for (const isPerRequest of [false, true])
  suite(`where calls are ${isPerRequest ? "per request" : "shared"}`, () => {
    let openseat: StandIn;
    let stage: Stage;
    beforeEach(async () => {
      openseat = await StandIn.start();
      stage = new Stage(openseat, { heartbeatSeconds: 0 }, { isPerRequest });
    });
    afterEach(() => openseat.stop());

    test("concurrent visitors with a session get into a gate that has just started", async () => {
      const visits = [1, 2, 3, 4, 5].map((ticket) =>
        stage.visit("/", { cookie: `openseat_admission_shop=${openseat.session(ticket)}` }),
      );
      assert.deepEqual(
        (await Promise.all(visits)).map(({ passed }) => passed),
        Array.from({ length: 5 }, () => "admitted"),
      );
      assert.equal(openseat.count(keysCall), isPerRequest ? 5 : 1);
    });

    test("concurrent visitors enter with a new key", async () => {
      await stage.enter();
      openseat.stage.keys = [newSigningKey(Date.now()), ...openseat.stage.keys];
      stage.advance(2_000);
      const visits = [1, 2, 3, 4, 5].map(() => stage.visit(`/?openseat_token=${stage.admit()}`));
      for (const { status, cookies } of await Promise.all(visits))
        assert.deepEqual([status, cookies.length], [303, 1]);
    });

    test("keys that cannot be refreshed are reported, and stay in use", async () => {
      await stage.enter();
      stage.advance(300_000);
      openseat.keys = "nonsense";
      const cookie = `openseat_admission_shop=${openseat.session(77)}`;
      assert.equal((await stage.visit("/", { cookie })).passed, "admitted");
      await until("the failure is reported", () => stage.errors.length > 0);
      assert.match(stage.errors[0].message, /not JSON/);
    });

    test("forged tokens do not make a call each", async () => {
      await stage.enter();
      openseat.stage.keys = [newSigningKey(Date.now())];
      openseat.asked.length = 0;
      const token = openseat.session(1);
      for (let visit = 0; visit < 5; visit++)
        await stage.visit("/", { cookie: `openseat_admission_shop=${token}` });
      assert.equal(openseat.count(keysCall), 0, "it is too early to ask again");
      stage.advance(2_000);
      openseat.keys = JSON.stringify({ keys: [] });
      for (let visit = 0; visit < 5; visit++)
        await stage.visit("/", { cookie: `openseat_admission_shop=${token}` });
      assert.equal(openseat.count(keysCall), 1);
    });
  });
