import assert from "node:assert/strict";
import { afterEach, beforeEach, suite, test } from "node:test";
import { until } from "../../server/test/support/http.ts";
import { Stage, shop } from "./support/stage.ts";
import { probeCall, StandIn } from "./support/stand-in.ts";

const moods = ["hangs", "fails", "resets", "babbles"] as const;

for (const check of ["local", "call"] as const)
  suite(`while Openseat is away, with check: "${check}"`, () => {
    let openseat: StandIn;
    beforeEach(async () => {
      openseat = await StandIn.start();
    });
    afterEach(() => openseat.stop());

    for (const mood of moods)
      test(`it ${mood}: visitors with a session stay in, and the others wait outside`, async () => {
        const stage = new Stage(openseat, { check });
        const cookie = await stage.enter();
        openseat.mood = mood;
        for (let visit = 0; visit < 3; visit++)
          assert.equal((await stage.visit("/", { cookie })).passed, "admitted");
        const token = stage.admit();
        await until("the gate notices", async () => (await stage.visit("/cart")).status === 503);
        const page = await stage.visit("/cart");
        assert.match(page.headers.get("content-type")!, /^text\/html/);
        assert.deepEqual([page.headers.get("retry-after"), page.headers.get("refresh")], ["5", "5"]);
        assert.equal(page.headers.get("cache-control"), "no-store");
        assert.doesNotMatch(page.text, /Openseat|script/i);
        const json = await stage.visit("/api", { headers: { accept: "application/json" } });
        assert.equal(json.status, 503);
        assert.deepEqual(
          [JSON.parse(json.text).code, JSON.parse(json.text).retryable, json.headers.get("retry-after")],
          ["gate.away", true, "5"],
        );
        const claim = await stage.visit(`/cart?openseat_token=${token}`);
        assert.deepEqual([claim.status, claim.location, claim.cookies], [303, `${shop}/cart`, []]);
        openseat.recover();
        stage.advance(2_000);
        await until("the gate notices", async () => (await stage.visit("/cart")).status === 303);
        const back = await stage.visit(`/cart?openseat_token=${token}`);
        assert.equal(back.cookies.length, 1, "nothing was lost");
        assert.equal((await stage.visit("/", { cookie })).passed, "admitted");
      });
  });

suite("while Openseat is away", () => {
  let openseat: StandIn;
  beforeEach(async () => {
    openseat = await StandIn.start();
  });
  afterEach(() => openseat.stop());

  for (const mood of moods)
    test(`it ${mood}: with whenAway "open" new visitors pass, and wait again afterwards`, async () => {
      const stage = new Stage(openseat, { whenAway: "open" });
      const cookie = await stage.enter();
      assert.equal((await stage.visit("/cart")).status, 303, "it is not open while Openseat is there");
      openseat.mood = mood;
      await until("the gate notices", async () => (await stage.visit("/cart")).passed === "open");
      assert.equal((await stage.visit("/", { cookie })).passed, "admitted");
      const claim = await stage.visit(`/cart?openseat_token=${stage.admit()}`);
      assert.deepEqual([claim.status, claim.location, claim.cookies], [303, `${shop}/cart`, []]);
      openseat.recover();
      stage.advance(2_000);
      await until("the gate notices", async () => (await stage.visit("/cart")).status === 303);
    });

  test("a gate that starts meanwhile knows no keys, and admits nobody by itself", async () => {
    const token = openseat.admit(1);
    const cookie = `openseat_admission_shop=${openseat.session(1)}`;
    openseat.mood = "resets";
    const closed = new Stage(openseat);
    assert.equal((await closed.visit("/", { cookie })).status, 503);
    assert.equal((await closed.visit(`/?openseat_token=${token}`)).location, `${shop}/`);
    const open = new Stage(openseat, { whenAway: "open" });
    assert.equal((await open.visit("/", { cookie })).passed, "open");
  });

  test("a call that fails once neither opens nor closes the site", async () => {
    const stage = new Stage(openseat, { whenAway: "open" });
    await stage.enter();
    openseat.claims = "nonsense";
    const token = stage.admit();
    const claim = await stage.visit(`/cart?openseat_token=${token}`);
    // A redirect would go round in circles.
    assert.equal(claim.status, 503);
    assert.equal(claim.headers.get("refresh"), `5; url=${shop}/cart`);
    assert.equal((await stage.visit("/cart")).status, 303);
    for (const answer of [
      '{"data":{"session":{"token":"a\\r\\nSet-Cookie: b=c"}}}',
      '{"data":{"session":{"token":"a.b.c"}}}',
      `{"data":{"session":{"token":"${openseat.admit(77)}"}}}`,
      "null",
    ]) {
      openseat.claims = answer;
      const { status, cookies } = await stage.visit(`/cart?openseat_token=${token}`);
      assert.deepEqual([status, cookies], [503, []], answer);
    }
  });

  for (const status of [429, 503])
    test(`an Openseat that refuses with ${status} answers, so the site stays behind the waiting page`, async () => {
      const stage = new Stage(openseat, { whenAway: "open" });
      openseat.mood = "refuses";
      openseat.refusal = status;
      assert.equal((await stage.visit("/cart")).location, stage.waitingPage(`${shop}/cart`));
      assert.equal(openseat.count(probeCall), 1);
    });

  test("one failed probe neither opens nor closes the site", async () => {
    for (const whenAway of ["open", "closed"] as const) {
      openseat.recover();
      openseat.mood = "fails";
      const stage = new Stage(openseat, { whenAway });
      const visit = stage.visit("/cart");
      await until("the first probe fails", () => stage.errors.length === 1);
      openseat.mood = "fine";
      assert.equal((await visit).location, stage.waitingPage(`${shop}/cart`));
      assert.equal(openseat.count(probeCall), 2);
    }
  });

  test("a failed probe counts for nothing if a call succeeded meanwhile", async () => {
    const stage = new Stage(openseat, { whenAway: "open" });
    await stage.enter();
    stage.advance(2_000);
    openseat.mood = "fails";
    const visit = stage.visit("/cart");
    await until("the probe fails", () => stage.errors.length === 1);
    openseat.recover();
    await stage.visit(`/?openseat_token=${stage.admit()}`);
    openseat.mood = "fails";
    assert.equal((await visit).status, 303);
    assert.equal(openseat.count(probeCall), 0, "the call is proof enough");
  });

  test("sessions that fail alike give one report, without their ids", async () => {
    const stage = new Stage(openseat);
    await stage.enter();
    openseat.mood = "fails";
    openseat.asked.length = 0;
    for (let ticket = 100; ticket < 120; ticket++)
      await stage.visit("/", { cookie: `openseat_admission_shop=${openseat.session(ticket)}` });
    await until("all heartbeats have failed", () => openseat.asked.length === 20 && stage.errors.length > 0);
    await stage.visit("/");
    assert.deepEqual(
      stage.errors.map(({ message }) => message).filter((message) => message.includes("heartbeat")),
      [`Openseat answered POST ${openseat.url}/api/v1/sessions/:session/heartbeat with 502.`],
    );
  });

  test("it is asked at most once every two seconds, and no visitor waits for each answer", async () => {
    const stage = new Stage(openseat);
    openseat.mood = "hangs";
    const begun = performance.now();
    await Promise.all(Array.from({ length: 500 }, () => stage.visit("/")));
    for (let visit = 0; visit < 100; visit++) assert.equal((await stage.visit("/")).status, 503);
    const seconds = (performance.now() - begun) / 1_000;
    assert.ok(openseat.count(probeCall) <= 1 + seconds / 2, `${openseat.count(probeCall)} in ${seconds} s`);
    assert.equal(stage.errors.length, 1, "the outage is reported once");
    assert.match(stage.errors[0].message, /does not answer at http/);
  });

  test("a wrong setting is reported, and opens nothing", async () => {
    const wrongKey = new Stage(openseat, { serviceKey: "wrong", whenAway: "open" });
    assert.equal((await wrongKey.visit("/")).status, 303);
    assert.equal((await wrongKey.visit(`/?openseat_token=${wrongKey.admit()}`)).status, 503);
    assert.match(wrongKey.errors[0].message, /refused the service key .* Set serviceKey/);
    const wrongQueue = new Stage(openseat, { queue: "nonesuch", whenAway: "open" });
    await wrongQueue.visit("/");
    assert.match(wrongQueue.errors[0].message, /has no queue nonesuch/);
    openseat.mood = "redirects";
    const elsewhere = new Stage(openseat, { whenAway: "open" });
    await elsewhere.visit("/");
    assert.match(elsewhere.errors[0].message, /redirects/);
  });
});
