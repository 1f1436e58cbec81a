import assert from "node:assert/strict";
import { test } from "node:test";
import { SteadyTime } from "../../src/clock.ts";
import { SoleOwner } from "../../src/host/cluster/sole-owner.ts";
import { LogUnavailable } from "../../src/log/log.ts";
import { sharingLimits } from "../../src/log/sharing.ts";
import { TestClock } from "../support/test-clock.ts";

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

/** The membership of a server on a machine clock that the test sets. */
function machine() {
  const clocks = { wall: 1_700_000_000_000, monotonic: 0 };
  const time = new SteadyTime(
    () => clocks.wall,
    () => clocks.monotonic,
  );
  const clock = Object.assign(new TestClock(), { now: () => time.now(), elapsed: () => clocks.monotonic });
  const owner = new SoleOwner(clock);
  owner.begin();
  return {
    clock,
    owner,
    set(ms: number) {
      clocks.wall += ms;
    },
    pass(ms: number) {
      clocks.wall += ms;
      clocks.monotonic += ms;
    },
  };
}

test("[AR9] a clock that is set forward by a second or more restarts turns, once", () => {
  for (const step of [second, hour, 40 * day]) {
    const { clock, owner, set, pass } = machine();
    const start = clock.now();
    pass(hour);
    assert.equal(owner.servedSince, start);
    set(step);
    const since = start + hour + step;
    assert.equal(owner.servedSince, since);
    pass(hour);
    assert.equal(owner.servedSince, since);
  }
});

test("[AR9] corrections of less than a second restart no turns, however many occur", () => {
  const { clock, owner, set, pass } = machine();
  const start = clock.now();
  for (let count = 0; count < 50; count++) {
    pass(hour);
    set(count % 2 ? 900 : -300);
    assert.equal(owner.servedSince, start);
  }
});

test("[AR9] [CK1] setting the clock back restarts no turns, and neither does catching up", () => {
  for (const everyMs of [second, 100 * second, hour]) {
    const { clock, owner, set, pass } = machine();
    const start = clock.now();
    pass(hour);
    set(-0.5 * hour);
    for (let passed = 0; passed < 6 * hour; passed += everyMs) {
      pass(everyMs);
      assert.equal(owner.servedSince, start, `${passed} ms after, looked at every ${everyMs} ms`);
    }
    assert.equal(clock.now(), start + 6.5 * hour, "it has caught up");
    set(2 * second);
    assert.equal(owner.servedSince, clock.now(), "and a step forward is noticed again");
  }
});

test("[AR9] [CK1] while time catches up, only a skipped step forward restarts turns", () => {
  const { clock, owner, set, pass } = machine();
  const start = clock.now();
  set(-hour);
  pass(second);
  set(0.5 * hour);
  pass(second);
  assert.equal(owner.servedSince, start, "the offset shrinks while time runs slower");
  set(hour);
  const skipped = clock.now();
  assert.ok(skipped - start > 0.4 * hour);
  assert.equal(owner.servedSince, skipped);
});

test("[AR9] [CK2] after a step back to before the start, the server has served since then, and not in the future", () => {
  const { clock, owner, set, pass } = machine();
  const start = clock.now();
  pass(hour);
  set(-2 * day);
  pass(second);
  const back = start + hour - 2 * day + second;
  assert.equal(owner.servedSince, back);
  pass(3 * day);
  assert.equal(owner.servedSince, back, "also when the clock passes the start again");
});

test("[AR9] [CK2] a step back of days that stays after the start restarts no turns", () => {
  const { clock, owner, set, pass } = machine();
  const start = clock.now();
  pass(3 * day);
  assert.equal(owner.servedSince, start);
  set(-2 * day);
  pass(second);
  assert.equal(owner.servedSince, start);
  set(10 * second);
  assert.equal(owner.servedSince, clock.now(), "a step forward from there is noticed");
});

test("[AR9] [LS4] a call that fails, or takes a second, is an interruption; others are not", async () => {
  const calls = [
    { ms: sharingLimits.outageMs - 1, error: undefined, isOutage: false },
    { ms: sharingLimits.outageMs, error: undefined, isOutage: true },
    { ms: 1, error: new LogUnavailable("The disk is full."), isOutage: true },
    { ms: 1, error: new Error("a fault of ours"), isOutage: false },
  ];
  for (const { ms, error, isOutage } of calls) {
    const { clock, owner, pass } = machine();
    const start = clock.now();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const watched = owner.watch(promise);
    pass(ms);
    if (error) reject(error);
    else resolve();
    if (error) await assert.rejects(watched, error);
    else await watched;
    assert.equal(owner.servedSince, isOutage ? start + ms : start);
    assert.equal(owner.interruptedAt, isOutage ? clock.elapsed() : Number.NEGATIVE_INFINITY);
  }
});
