import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { answered, TestClock, turns, watched } from "../support/test-clock.ts";
import { LeaseStage, leasedDecider, windowMs } from "./leased-room.ts";
import { codeOf } from "./stage.ts";

describe("places that need heartbeats", () => {
  test("[LS1] a place expires one to two windows after its last heartbeat", async () => {
    const enters = fc.integer({ min: 0, max: 4 * windowMs });
    // After a pause of a whole window the place may already be gone when the heartbeat arrives.
    const pauses = fc.array(fc.integer({ min: 1, max: windowMs - 1 }), { maxLength: 6 });
    const lives = fc.array(fc.record({ enters, pauses }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lives, async (people) => {
        for (const { silentMs } of await lived(people)) {
          assert.ok(silentMs >= windowMs && silentMs <= 2 * windowMs, `after ${silentMs} ms of silence`);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("[LS1] setting the clock expires nobody early or late", async () => {
    for (const jumpMs of [-24 * 3_600_000, -1_000, 1_000, 24 * 3_600_000]) {
      const stage = new LeaseStage();
      await stage.crowded("r", 2);
      await stage.clock.advance(windowMs / 2);
      stage.noteHeartbeat("r", 1);
      stage.clock.jump(jumpMs);
      await stage.clock.advance(windowMs / 2 - 1);
      assert.deepEqual(await stage.lapsed("r"), []);
      await stage.clock.advance(1);
      assert.deepEqual(await stage.lapsed("r"), [2]);
      stage.clock.jump(-jumpMs);
      await stage.clock.advance(windowMs - 1);
      assert.deepEqual(await stage.lapsed("r"), [2]);
      await stage.clock.advance(1);
      assert.deepEqual(await stage.lapsed("r"), [2, 1]);
    }
  });

  test("[LS1] changing the window's length starts a full fresh window for everybody", async () => {
    for (const changedMs of [windowMs / 3, windowMs * 3]) {
      const stage = new LeaseStage();
      await stage.crowded("r", 2);
      await stage.clock.advance(windowMs - 1);
      await stage.asked("r", { type: "change", windowMs: changedMs });
      await stage.clock.advance(1);
      stage.noteHeartbeat("r", 2);
      await stage.clock.advance(changedMs - 2);
      assert.deepEqual(await stage.lapsed("r"), []);
      await stage.clock.advance(1);
      assert.deepEqual(await stage.lapsed("r"), [1]);
      await stage.clock.advance(changedMs);
      assert.deepEqual(await stage.lapsed("r"), [1, 2]);
    }
  });

  test("[LS1] changing the window right after one has ended expires nobody", async () => {
    const stage = new LeaseStage();
    await stage.crowded("r", 2);
    stage.log.holding = true;
    const changed = stage.ask("r", { type: "change", windowMs: windowMs + 1 });
    await stage.clock.advance(windowMs);
    stage.log.releaseAll();
    await answered(changed);
    await turns();
    assert.deepEqual(await stage.lapsed("r"), []);
    await stage.clock.advance(windowMs);
    assert.deepEqual(await stage.lapsed("r"), []);
    await stage.clock.advance(1);
    assert.deepEqual(await stage.lapsed("r"), [1, 2]);
  });

  test("[LS1] changing the window at the moment it ends expires nobody", async () => {
    const stage = new LeaseStage();
    await stage.crowded("r", 2, { due: stage.clock.now() + 10 * windowMs });
    stage.clock.jump(10 * windowMs);
    await stage.clock.advance(windowMs);
    assert.equal(
      stage.rooms.peek("r", ({ terms } = assert.fail()) => terms.windowMs),
      2 * windowMs,
    );
    await stage.clock.advance(2 * windowMs - 1);
    assert.deepEqual(await stage.lapsed("r"), []);
    await stage.clock.advance(1);
    assert.deepEqual(await stage.lapsed("r"), [1, 2]);
  });

  test("[LS1] no timer runs while nobody needs heartbeats, and the next person gets a full window", async () => {
    const stage = new LeaseStage();
    await stage.opened("r");
    assert.equal(stage.clock.timers, 0);
    await stage.enter("r");
    assert.equal(stage.clock.timers, 1);
    await stage.clock.advance(windowMs - 1);
    await stage.asked("r", { type: "leave", ticket: 1 });
    assert.equal(stage.clock.timers, 0);
    await stage.enter("r");
    await stage.clock.advance(windowMs - 1);
    assert.deepEqual(await stage.lapsed("r"), []);
    await stage.clock.advance(1);
    assert.deepEqual(await stage.lapsed("r"), [2]);
    assert.equal(stage.clock.timers, 0);
  });

  test("[LS1] a window longer than the maximum timer is waited for in full", async () => {
    const clock = new TestClock();
    const after = clock.after.bind(clock);
    clock.after = (ms, run) => after(Math.min(ms, 2 ** 31 - 1), run);
    const stage = new LeaseStage({ clock });
    const yearMs = 365 * 24 * 3_600_000;
    await stage.crowded("r", 1, { windowMs: yearMs });
    await stage.clock.advance(yearMs - 1);
    assert.deepEqual(await stage.lapsed("r"), []);
    await stage.clock.advance(1);
    assert.deepEqual(await stage.lapsed("r"), [1]);
  });

  test("[LS2] seated places have their own lease, and each heartbeat counts for both", async () => {
    const stage = new LeaseStage();
    await stage.crowded("r", 3, { graceMs: windowMs / 5 });
    await stage.asked("r", { type: "sit", ticket: 2 });
    await stage.asked("r", { type: "sit", ticket: 3 });
    await stage.clock.advance(windowMs / 10);
    stage.noteHeartbeat("r", 3);
    await stage.clock.advance(windowMs / 10);
    assert.deepEqual(await stage.lapsed("r"), [2]);
    await stage.clock.advance(windowMs / 5);
    assert.deepEqual(await stage.lapsed("r"), [2, 3]);
    await stage.clock.advance(windowMs);
    assert.deepEqual(await stage.lapsed("r"), [2, 3, 1]);
  });
});

/** Lets people enter and send a heartbeat after each of their pauses; returns how long each was silent when it expired. */
async function lived(people: readonly { readonly enters: number; readonly pauses: readonly number[] }[]) {
  const stage = new LeaseStage();
  await stage.opened("r");
  const start = stage.clock.now();
  const steps = people.flatMap(({ enters, pauses }, person) => {
    const steps = [{ at: start + enters, person, isFirst: true }];
    for (const pause of pauses) steps.push({ at: steps.at(-1)!.at + pause, person, isFirst: false });
    return steps;
  });
  const ticketOf: number[] = [];
  const lastSignOf: number[] = [];
  for (const { at, person, isFirst } of steps.sort((a, b) => a.at - b.at)) {
    await stage.clock.advance(at - stage.clock.now());
    if (isFirst) ticketOf[person] = await stage.enter("r");
    else stage.noteHeartbeat("r", ticketOf[person]);
    lastSignOf[person] = at;
  }
  await stage.clock.advance(2 * windowMs);
  const lapses = await stage.lapses("r");
  return people.map((_, person) => {
    const ends = lapses.filter(({ tickets }) => tickets.includes(ticketOf[person]));
    assert.equal(ends.length, 1, "a silent place did not expire");
    return { silentMs: ends[0].at - lastSignOf[person] };
  });
}

describe("the moment of decision", () => {
  test("[LS1] a heartbeat between the end of the window and the decision keeps its place", async () => {
    const stage = new LeaseStage();
    await stage.crowded("r", 3);
    stage.log.holding = true;
    const entered = stage.ask("r", { type: "enter" });
    await stage.clock.advance(windowMs);
    stage.noteHeartbeat("r", 2);
    stage.log.releaseAll();
    await answered(entered);
    await turns();
    assert.deepEqual(await stage.lapsed("r"), [1, 3]);
    await stage.clock.advance(windowMs);
    assert.deepEqual(await stage.lapsed("r"), [1, 3, 4], "it counts for the window in which it arrived");
    await stage.clock.advance(windowMs);
    assert.deepEqual(await stage.lapsed("r"), [1, 3, 4, 2]);
  });

  test("[LS1] a person who enters between the end of the window and the decision gets a full window", async () => {
    const stage = new LeaseStage();
    await stage.crowded("r", 1);
    stage.log.holding = true;
    const second = stage.ask("r", { type: "enter" });
    await stage.clock.advance(windowMs);
    const third = stage.ask("r", { type: "enter" });
    stage.log.releaseAll();
    await answered(Promise.all([second, third]));
    await turns();
    assert.deepEqual(await stage.lapsed("r"), [1]);
    await stage.clock.advance(windowMs);
    assert.deepEqual(await stage.lapsed("r"), [1, 2]);
    await stage.clock.advance(windowMs);
    assert.deepEqual(await stage.lapsed("r"), [1, 2, 3]);
  });

  test("[LS1][LG2] a heartbeat after the decision is too late, and is refused once the decision is durable", async () => {
    const stage = new LeaseStage();
    await stage.crowded("r", 2);
    stage.log.holding = true;
    await stage.clock.advance(windowMs);
    assert.equal(stage.log.held.length, 1);
    stage.noteHeartbeat("r", 1);
    assert.equal(
      stage.rooms.peek("r", () => "seen"),
      undefined,
      "readers see nothing that may be lost",
    );
    const read = watched(stage.tickets("r"));
    await turns();
    assert.equal(read.settled, false);
    stage.log.releaseAll();
    assert.deepEqual(await answered(read.promise), { value: [] });
  });

  test("[LS1] many places expire in several entries, and heartbeats in between save their places", async () => {
    const stage = new LeaseStage();
    await stage.crowded("r", 100, { lapsesMax: 7 });
    stage.log.holding = true;
    await stage.clock.advance(windowMs);
    assert.deepEqual(
      stage.log.held.map(({ appends: [{ lines }] }) => lines.length),
      [1],
    );
    const entered = stage.ask("r", { type: "enter" });
    stage.noteHeartbeat("r", 50);
    stage.noteHeartbeat("r", 3);
    stage.log.held.splice(0)[0].release();
    await turns();
    assert.equal(stage.log.held[0].appends[0].lines.length, 2, "requests do not wait for all expiries");
    stage.log.releaseAll();
    await answered(entered);
    await turns(100);
    const lapses = await stage.lapses("r");
    assert.ok(lapses.every(({ tickets }) => tickets.length <= 7));
    assert.equal(lapses.length, Math.ceil(99 / 7));
    assert.deepEqual(await answered(stage.tickets("r")), { value: [50, 101] });
    assert.equal(new Set(await stage.lapsed("r")).size, 99);
  });

  test("[LG3] if the rules refuse to expire silent places, that is reported and the room stays usable", async () => {
    const room: typeof leasedDecider = {
      ...leasedDecider,
      decide: (state, command, now) =>
        command.type === "lapse"
          ? { refusal: { code: "place.missing", message: "No." } }
          : leasedDecider.decide(state, command, now),
    };
    const stage = new LeaseStage({ deciders: { room } });
    await stage.crowded("r", 1);
    await stage.clock.advance(windowMs + 500);
    assert.equal(stage.errors.length, 1);
    assert.match(String(stage.errors[0]), /refused/);
    assert.equal(await stage.enter("r"), 2);
    await stage.stop();
  });
});

describe("live connections", () => {
  test("[LS1] a connection that closes between the end of the window and the decision counts as present", async () => {
    const stage = new LeaseStage();
    await stage.crowded("r", 1);
    const hold = stage.hold("r", 1);
    stage.log.holding = true;
    const entered = stage.ask("r", { type: "enter" });
    await stage.clock.advance(windowMs);
    hold.release();
    stage.log.releaseAll();
    await answered(entered);
    await turns();
    assert.deepEqual(await stage.lapsed("r"), []);
  });

  test("[LS4][LS5] an open connection keeps its place while the room is reloaded or loaded late", async () => {
    const before = new LeaseStage();
    await before.crowded("r", 3);
    await before.stop();
    const stage = before.another();
    stage.hold("r", 2);
    await answered(stage.tickets("r"));
    await stage.clock.advance(windowMs / 2);
    stage.log.failing = true;
    assert.equal(codeOf(await answered(stage.ask("r", { type: "enter" }))), "log.unavailable");
    stage.log.failing = false;
    await stage.clock.advance(10 * windowMs);
    assert.deepEqual(await answered(stage.tickets("r")), { value: [2] });
  });
});
