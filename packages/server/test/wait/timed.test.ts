import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { stateIn } from "../support/browser.ts";
import { range } from "../support/http.ts";
import { PageStage } from "./page-stage.ts";

const day = { sessionDurationSeconds: 86_400 };

suite("the waiting page as time passes", () => {
  test("[LS1] a page that refreshes itself keeps its place; after it is closed the place expires, and the next visit shows why", async () => {
    const stage = await PageStage.open();
    const queue = await stage.opened({ heartbeatTimeoutSeconds: 10, ...day });
    await stage.taken(queue);
    const [reloads, asks, closed] = [stage.browser(), stage.browser(), stage.browser()];
    for (const it of [reloads, asks, closed]) await it.get(`/wait/${queue}`);
    for (const _ of range(6)) {
      await stage.clock.advance(4_000);
      await reloads.get(`/wait/${queue}`);
      await stage.told(asks, queue);
    }
    assert.equal(stateIn(await reloads.get(`/wait/${queue}`)).position, 1);
    assert.equal((await stage.told(asks, queue)).position, 2);
    const gone = await closed.get(`/wait/${queue}`);
    assert.deepEqual([stateIn(gone).status, stateIn(gone).reason], ["gone", "heartbeat_timeout"]);
    assert.deepEqual((await stage.told(closed, queue)).reason, "heartbeat_timeout");
    // The end has been shown; the next request is a new visit.
    assert.equal(stateIn(await closed.get(`/wait/${queue}`)).position, 3);
    await stage.stop();
  });

  test("[LS1] a request with only the guest's cookie counts as a heartbeat too", async () => {
    const stage = await PageStage.open();
    const queue = await stage.opened({ heartbeatTimeoutSeconds: 10, ...day });
    await stage.taken(queue);
    const ann = stage.browser();
    await ann.get(`/wait/${queue}`);
    for (const _ of range(6)) {
      await stage.clock.advance(4_000);
      ann.tamper("openseat_place", undefined);
      assert.equal((await stage.told(ann, queue)).position, 1);
    }
    await stage.stop();
  });

  test("[AD8] a session lasts as long as its cookie; then the gate closes, and the page says why", async () => {
    const stage = await PageStage.open();
    const queue = await stage.opened({ sessionDurationSeconds: 120, returnAddresses: ["/shop"] });
    const ann = stage.browser();
    await ann.visit(`/wait/${queue}`);
    assert.match(ann.cookie(`openseat_session_${queue}`)!.terms, /Max-Age=120;/);
    await stage.clock.advance(100_000);
    assert.equal((await ann.get(`/gate/${queue}`)).status, 204);
    // Claimed again: the same session, without more time.
    await ann.get(`/wait/${queue}/go`);
    assert.match(ann.cookie(`openseat_session_${queue}`)!.terms, /Max-Age=20;/);
    await stage.clock.advance(20_000);
    assert.equal((await ann.get(`/gate/${queue}`)).status, 401);
    assert.equal(stateIn(await ann.get(`/wait/${queue}`)).reason, "session_timeout");
    await stage.stop();
  });

  test("[LS2] [AD9] each request of the site is a heartbeat of the session; silence ends it", async () => {
    const stage = await PageStage.open();
    const queue = await stage.opened({ sessionTimeoutSeconds: 10, returnAddresses: ["/shop"], ...day });
    const ann = stage.browser();
    await ann.visit(`/wait/${queue}`);
    for (const _ of range(6)) {
      await stage.clock.advance(4_000);
      assert.equal((await ann.get(`/gate/${queue}`)).status, 204);
    }
    await stage.clock.advance(20_000);
    assert.equal((await ann.get(`/gate/${queue}`)).status, 401);
    assert.equal((await stage.told(ann, queue)).reason, "session_timeout");
    await stage.stop();
  });

  test("while the log is unavailable, people are asked to wait, and nobody is sent away", async () => {
    const stage = await PageStage.open();
    const queue = await stage.opened({ returnAddresses: ["/shop"] });
    const ann = stage.browser();
    await ann.visit(`/wait/${queue}`);
    stage.log.down = true;
    const bob = stage.browser();
    const busy = await bob.get(`/wait/${queue}`);
    assert.deepEqual([busy.status, busy.headers["retry-after"]], [503, "1"]);
    assert.match(busy.text, /503 · log\.unavailable/);
    assert.match(busy.text, /<meta http-equiv="refresh"/);
    const gate = await ann.get(`/gate/${queue}`);
    assert.ok([204, 503].includes(gate.status), "never back to the line");
    stage.log.down = false;
    assert.equal((await ann.get(`/gate/${queue}`)).status, 204);
    assert.equal((await bob.get(`/wait/${queue}`)).status, 200);
    await stage.stop();
  });

  test("a server fault is shown in a page, and logged", async () => {
    const stage = await PageStage.open();
    const queue = await stage.opened();
    stage.log.tamper = () => [{ line: "not an entry" } as never];
    const { clock } = stage;
    // Evicted from memory, so that it has to be read again.
    await clock.advance(10 * 60_000);
    const answer = await stage.browser().get(`/wait/${queue}`);
    assert.equal(answer.status, 500);
    assert.match(answer.text, /500 · (log\.damaged|server\.fault)/);
    assert.equal(stage.errors.length + stage.faults.length, 1);
    stage.log.tamper = (batches) => batches;
    await stage.stop();
  });
});
