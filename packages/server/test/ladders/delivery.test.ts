import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { doneOf } from "../support/results.ts";
import { turns } from "../support/test-clock.ts";
import { LadderStage } from "./stage.ts";

/** Lets pending deliveries arrive, including retries. */
async function settled(stage: LadderStage): Promise<void> {
  for (let second = 0; second < 10; second++) await stage.clock.advance(1_000);
  await turns();
}

async function waiting(stage: LadderStage): Promise<number> {
  return (await stage.log.inner.outbox(0, 1_000)).length;
}

describe("results in transit from an arena to its ladder", () => {
  test("[LD12] each result arrives once and in order, and people who are not players yet become players", async () => {
    const stage = new LadderStage();
    await stage.opened(["ann"]);
    await stage.playing();
    for (const winner of ["ann", "ann", null, "bob"]) await stage.report(winner);
    await settled(stage);
    assert.equal(await waiting(stage), 0);
    const [a1, a2, draw, b1, ...more] = await stage.matches();
    assert.deepEqual(more, []);
    for (const line of [a1, a2]) assert.match(line, /ann 1 bob 0|bob 0 ann 1/);
    assert.match(draw, /ann 0 bob 0|bob 0 ann 0/);
    assert.match(b1, /ann 0 bob 1|bob 1 ann 0/);
    await stage.stop();
  });

  test("[LD12] an append that failed but was written causes its effects", async () => {
    const stage = new LadderStage();
    await stage.opened(["ann", "bob"]);
    await stage.playing();
    stage.log.holding = true;
    const lost = stage.report("ann");
    await turns();
    stage.log.holding = false;
    stage.log.held.splice(0)[0].fail(true);
    assert.equal((await lost).code, "log.unavailable");
    await turns(40);
    assert.equal((await stage.matches()).length, 1, "without another result that triggers it");
    await stage.stop();
  });

  test("[LD12] an append that failed and was not written has no effects", async () => {
    const stage = new LadderStage();
    await stage.opened(["ann", "bob"]);
    await stage.playing();
    stage.log.holding = true;
    const lost = stage.report("ann");
    await turns();
    stage.log.holding = false;
    stage.log.held.splice(0)[0].fail();
    assert.equal((await lost).code, "log.unavailable");
    await settled(stage);
    assert.deepEqual(await stage.matches(), []);
    await stage.stop();
  });

  for (const written of [true, false]) {
    test(`[LD12] the ladder's append fails and was ${written ? "" : "not "}written: the result counts once`, async () => {
      const stage = new LadderStage();
      await stage.opened(["ann", "bob"]);
      await stage.playing();
      stage.log.holding = true;
      const reported = stage.report("ann");
      await turns();
      const isFor = (stream: string) => (held: { appends: readonly { stream: string }[] }) =>
        held.appends.some((append) => append.stream === stream);
      assert.ok(stage.log.held.every(isFor("arena/a")));
      for (const held of stage.log.held.splice(0)) held.release();
      await reported;
      await turns();
      assert.ok(stage.log.held.length > 0 && stage.log.held.every(isFor("ladder/l")));
      stage.log.holding = false;
      for (const held of stage.log.held.splice(0)) held.fail(written);
      await settled(stage);
      assert.equal((await stage.matches()).length, 1);
      assert.equal(await waiting(stage), 0);
      await stage.stop();
    });
  }

  test("[LD12] a crash after the result, after its arrival, and before its removal from the outbox: it counts once", async () => {
    const stage = new LadderStage();
    await stage.opened(["ann", "bob"]);
    await stage.playing();
    // From here on the first host counts as crashed: its deliveries are lost.
    stage.log.holding = true;
    const reported = stage.report("ann");
    await turns();
    for (const held of stage.log.held.splice(0)) held.release();
    await reported;
    stage.log.holding = false;
    stage.log.held.splice(0);
    const sent = await stage.log.inner.outbox(0, 10);
    assert.equal(sent.length, 1);
    const second = stage.another();
    await settled(second);
    assert.equal((await second.matches()).length, 1);
    // Arrived, but not removed from the outbox: the next host delivers the arena's entry again.
    const { delivered } = second.log;
    second.log.delivered = async () => {};
    const third = second.another();
    await third.report("bob");
    await settled(third);
    assert.equal(await waiting(third), 1);
    second.log.delivered = delivered;
    const fourth = third.another();
    await settled(fourth);
    assert.equal(await waiting(fourth), 0);
    assert.equal((await fourth.matches()).length, 2);
  });

  test("[LD12] [LD8] a voided result stays void, however often it is delivered again", async () => {
    const stage = new LadderStage();
    await stage.opened(["ann", "bob"]);
    await stage.playing();
    const { delivered } = stage.log;
    stage.log.delivered = async () => {};
    await stage.report("ann");
    await settled(stage);
    doneOf(await stage.void(1));
    stage.log.delivered = delivered;
    const again = stage.another();
    await settled(again);
    assert.match((await again.matches())[0], /voided$/);
    assert.equal((await again.matches()).length, 1);
  });

  test("[LD12] a match with an unknown end does not count", async () => {
    const stage = new LadderStage();
    await stage.opened(["ann", "bob"]);
    await stage.playing({ reconnectGraceSeconds: null, moveTimeoutSeconds: 60 });
    const { match } = (await stage.arena()).state;
    await stage.clock.advance(61_000);
    assert.notEqual((await stage.arena()).state.match.id, match.id, "nobody reported the winner in time");
    await settled(stage);
    assert.deepEqual(await stage.matches(), []);
    await stage.stop();
  });
});
