import assert from "node:assert/strict";
import { test } from "node:test";
import type { Millis } from "@openseat/kernel";
import { newSystemClock, SteadyTime } from "../../src/clock.ts";

const day = 24 * 60 * 60 * 1000;

function stage() {
  const clocks = { wall: 1_000_000, monotonic: 0 };
  const time = new SteadyTime(
    () => clocks.wall,
    () => clocks.monotonic,
  );
  const goOn = (ms: number) => {
    clocks.wall += ms;
    clocks.monotonic += ms;
    return time.now();
  };
  return { clocks, time, goOn };
}

test("time equals the wall clock while nobody sets it", () => {
  const { goOn } = stage();
  assert.equal(goOn(0), 1_000_000);
  assert.equal(goOn(5_000.7), 1_005_000);
});

test("[AD4] [CK1] after the clock is set back, time continues a tenth slower until both agree", () => {
  const { clocks, time, goOn } = stage();
  goOn(0);
  clocks.wall -= 3_600_000;
  assert.equal(goOn(10), 1_000_009);
  assert.equal(time.wall(), clocks.wall, "`wall` follows the wall clock");
  assert.equal(
    goOn(3_700_000),
    1_000_009 + 3_330_000,
    "also when the wall clock has reached the time at which it was set back",
  );
  assert.equal(goOn(32_299_990), clocks.wall, "it catches up after ten times as long as it was set back");
  assert.equal(goOn(1_000), clocks.wall);
});

test("[CK2] time follows a clock that is set back by more than a day", () => {
  for (const days of [1.25, 30, 27_000]) {
    const { clocks, goOn } = stage();
    goOn(0);
    clocks.wall += days * day;
    assert.equal(goOn(1_000), clocks.wall);
    clocks.wall -= days * day;
    assert.equal(goOn(1_000), 1_002_000);
  }
});

test("[CK1] [CK2] time is never more than a day ahead of a clock that is set back repeatedly", () => {
  const { clocks, goOn } = stage();
  for (let hour = 0; hour < 40; hour++) {
    goOn(1_000);
    clocks.wall -= 3_600_000;
    const aheadMs = goOn(1_000) - clocks.wall;
    assert.ok(aheadMs <= day, `${aheadMs} ms ahead`);
  }
});

test("correcting a clock that was set back does not move time further ahead", () => {
  const { clocks, goOn } = stage();
  goOn(0);
  clocks.wall -= 60_000;
  goOn(1_000);
  clocks.wall += 60_000;
  assert.equal(goOn(1_000), 1_002_000);
});

test("time follows a clock that is set forward, and absorbs a small step back", () => {
  const { clocks, goOn } = stage();
  goOn(0);
  clocks.wall += 60_000;
  assert.equal(goOn(0), 1_060_000);
  clocks.wall -= 500;
  assert.equal(goOn(100), 1_060_000);
  assert.equal(goOn(1_000), 1_060_600);
});

test("[AD4] [CK1] after a restart, time is not earlier than entries written by a clock that ran ahead", () => {
  const { time, goOn } = stage();
  time.reach(1_600_000 as Millis);
  assert.equal(goOn(10), 1_600_009);
  time.reach(1_000_000 as Millis);
  assert.equal(goOn(10), 1_600_018, "a time in the past changes nothing");
});

test("an entry more than a day ahead does not move the time of other lines", () => {
  const { time, goOn } = stage();
  time.reach((1_000_000 + 25 * 3_600_000) as Millis);
  assert.equal(goOn(10), 1_000_010);
});

/** An answer with the remote time that took this long to arrive. */
function followed(it: ReturnType<typeof stage>, theirs: { now: number }) {
  return (journeyMs: number) => {
    it.goOn(journeyMs);
    it.time.follow(theirs.now as Millis);
    theirs.now += journeyMs;
  };
}

test("[CL2] nodes with different clocks agree on the followed clock, to within the latency of the quickest answer", () => {
  for (const skewMs of [-3_600_000, -60_000, 0]) {
    const it = stage();
    const theirs = { now: it.clocks.wall - skewMs };
    const hear = followed(it, theirs);
    for (const journeyMs of [40, 3, 250, 90]) {
      hear(journeyMs);
      theirs.now += 400;
      it.goOn(400);
    }
    assert.equal(it.time.now(), theirs.now - 3, `behind by ${-skewMs} ms`);
  }
});

test("[CL2] the first answer, before any decision, also corrects a clock that is ahead", () => {
  const { clocks, time } = stage();
  time.follow((clocks.wall - 3_600_000) as Millis);
  assert.equal(time.now(), clocks.wall - 3_600_000);
});

test("[CL2] [AD4] a node that is ahead slows down until it is right, and neither goes back nor stops", () => {
  const { clocks, time, goOn } = stage();
  const first = goOn(0);
  const offset = -60_000;
  let before: number = first;
  for (let second = 1; second <= 590; second++) {
    clocks.wall += 1_000;
    clocks.monotonic += 1_000;
    time.follow((clocks.wall + offset) as Millis);
    const now = time.now();
    assert.ok(now - before >= 899 && now - before <= 901, `${now - before} ms in second ${second}`);
    before = now;
  }
  goOn(20_000);
  time.follow((clocks.wall + offset) as Millis);
  assert.equal(goOn(0), clocks.wall + offset);
  assert.equal(goOn(1_000), clocks.wall + offset, "from there on it runs at normal speed");
});

test("[CL2] setting this machine's clock has no effect on a node that follows another clock", () => {
  const it = stage();
  const { clocks, time, goOn } = it;
  time.follow(5_000_000 as Millis);
  for (const ms of [3_600_000, -7_200_000, 500]) {
    clocks.wall += ms;
    goOn(1_000);
  }
  assert.equal(goOn(0), 5_003_000);
});

test("[CL2] delayed answers change nothing, and an old answer does not count forever", () => {
  const it = stage();
  const { time, goOn } = it;
  time.follow(2_000_000 as Millis);
  goOn(30_000);
  time.follow(2_000_100 as Millis);
  assert.equal(goOn(0), 2_030_000, "an answer that was delayed for half a minute");
  // The followed clock runs 1 ms per second slower than ours.
  let theirs = 2_030_000;
  for (let round = 0; round < 100; round++) {
    theirs += 399;
    goOn(399.4);
    time.follow(theirs as Millis);
  }
  const aheadMs = goOn(0) - theirs;
  assert.ok(aheadMs >= 0 && aheadMs <= 16, `${aheadMs} ms ahead`);
});

test("[CL2] when the followed clock is set forward, time follows at once; set back, time slows down", () => {
  const { time, goOn } = stage();
  time.follow(2_000_000 as Millis);
  assert.equal(goOn(0), 2_000_000);
  time.follow(2_500_000 as Millis);
  assert.equal(goOn(0), 2_500_000);
  for (let round = 0; round < 16; round++) time.follow(2_400_000 as Millis);
  assert.equal(goOn(0), 2_500_000);
  assert.equal(goOn(10_000), 2_509_000);
});

test("each server has its own clock, which uses the machine's until it follows another", () => {
  const [one, other] = [newSystemClock(), newSystemClock()];
  const before = Date.now();
  const now = one.now();
  assert.ok(now >= before && now <= Date.now());
  one.follow?.((before + 3_600_000) as Millis);
  assert.ok(one.now() >= before + 3_600_000);
  assert.ok(other.now() < before + 3_600_000);
});
