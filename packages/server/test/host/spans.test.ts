import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { answered, turns } from "../support/test-clock.ts";
import { LeaseStage, leasedDecider, windowMs } from "./leased-room.ts";

const spans = 5;
const spanMs = windowMs / spans;

/** Rooms whose lease is looked at five times in a window. */
function closeStage(): LeaseStage {
  const [waiting] = leasedDecider.presence!.leases;
  const room = { ...leasedDecider, presence: { leases: [{ ...waiting, spansPerWindow: spans }] } };
  return new LeaseStage({ deciders: { room } });
}

describe("leases that are looked at several times in a window", () => {
  test("[LS1] whenever the signs of life come, a place expires from one window to a span more after the last", async () => {
    const pauses = fc.array(fc.integer({ min: 1, max: windowMs - 1 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 3 * windowMs }), pauses, async (start, pauses) => {
        const stage = closeStage();
        await stage.opened("r");
        const holder = stage.hold("r", await stage.enter("r"));
        await stage.clock.advance(start);
        const ticket = await stage.enter("r");
        let last = stage.clock.now();
        for (const pause of pauses) {
          await stage.clock.advance(pause);
          stage.heard("r", ticket);
          last = stage.clock.now();
        }
        await stage.clock.advance(2 * windowMs);
        const [lapse, ...more] = await stage.lapses("r");
        assert.deepEqual([lapse.tickets, more], [[ticket], []]);
        const silentMs = lapse.at - last;
        assert.ok(silentMs >= windowMs && silentMs <= windowMs + spanMs, `after ${silentMs} ms of silence`);
        holder.release();
      }),
      { numRuns: 60 },
    );
  });

  test("[LS1] those who are silent from different times on expire one after the other, each in its span", async () => {
    const stage = closeStage();
    await stage.crowded("r", 5);
    const start = stage.clock.now();
    for (let ticket = 1; ticket <= 5; ticket++) {
      await stage.clock.advance(spanMs);
      for (let other = ticket; other <= 5; other++) stage.heard("r", other);
    }
    await stage.clock.advance(2 * windowMs);
    const lapses = await stage.lapses("r");
    assert.deepEqual(
      lapses.map(({ at, tickets }) => [at - start, tickets]),
      [1, 2, 3, 4, 5].map((ticket) => [ticket * spanMs + windowMs + spanMs, [ticket]]),
    );
  });

  test("[LS1] a connection that closes in the middle of a span was there in that span", async () => {
    const stage = closeStage();
    await stage.crowded("r", 1);
    const hold = stage.hold("r", 1);
    await stage.clock.advance(10 * windowMs + spanMs / 2);
    hold.release();
    await stage.clock.advance(windowMs + spanMs / 2 - 1);
    assert.deepEqual(await stage.lapsed("r"), []);
    await stage.clock.advance(1);
    assert.deepEqual(await stage.lapsed("r"), [1]);
  });

  test("[LS1] an append that takes longer than spans expires nobody who was heard of meanwhile, and the others once", async () => {
    const stage = closeStage();
    await stage.crowded("r", 3);
    await stage.clock.advance(windowMs - 1);
    stage.log.holding = true;
    const entered = stage.ask("r", { type: "enter" });
    await turns();
    await stage.clock.advance(1 + 3 * spanMs);
    stage.heard("r", 2);
    stage.log.releaseAll();
    await answered(entered);
    await turns();
    assert.deepEqual(await stage.lapsed("r"), [1, 3]);
    await stage.clock.advance(2 * windowMs);
    assert.deepEqual((await stage.lapsed("r")).sort(), [1, 2, 3, 4]);
  });

  test("[LS4] a stop of the machine expires nobody: a whole window has to be heard again", async () => {
    const stage = closeStage();
    await stage.crowded("r", 2);
    await stage.clock.advance(windowMs - spanMs / 2);
    // Everything stands still for an hour, timers included; then the one that was under way rings.
    const { elapsed } = stage.clock;
    let awayMs = 0;
    stage.clock.elapsed = () => elapsed.call(stage.clock) + awayMs;
    awayMs = 3_600_000;
    await stage.clock.advance(spanMs / 2);
    assert.deepEqual(await stage.lapsed("r"), [], "nobody could be heard meanwhile");
    stage.heard("r", 2);
    await stage.clock.advance(spanMs);
    assert.deepEqual(await stage.lapsed("r"), [1]);
  });
});
