import assert from "node:assert/strict";
import { test } from "node:test";
import type { Millis } from "@openseat/kernel";
import { SteadyTime } from "../../src/clock.ts";

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

test("time is the wall clock's as long as nobody sets it", () => {
  const { goOn } = stage();
  assert.equal(goOn(0), 1_000_000);
  assert.equal(goOn(5_000.7), 1_005_000);
});

test("[AD4] a clock that is set back stops nothing: time goes on from where it was", () => {
  const { clocks, goOn } = stage();
  goOn(0);
  clocks.wall -= 3_600_000;
  assert.equal(goOn(10), 1_000_010);
  assert.equal(goOn(3_700_000), 4_700_010, "also when the wall clock has caught up meanwhile");
});

test("a clock that was set back and is set right again does not take time ahead with it", () => {
  const { clocks, goOn } = stage();
  goOn(0);
  clocks.wall -= 60_000;
  goOn(1_000);
  clocks.wall += 60_000;
  assert.equal(goOn(1_000), 1_002_000);
});

test("a clock that is set forward is followed, and a small correction back is waited out", () => {
  const { clocks, goOn } = stage();
  goOn(0);
  clocks.wall += 60_000;
  assert.equal(goOn(0), 1_060_000);
  clocks.wall -= 500;
  assert.equal(goOn(100), 1_060_000);
  assert.equal(goOn(1_000), 1_060_600);
});

test("[AD4] after a restart, time is not earlier than what was written by a clock that ran ahead", () => {
  const { time, goOn } = stage();
  time.reach(1_600_000 as Millis);
  assert.equal(goOn(10), 1_600_010);
  time.reach(1_000_000 as Millis);
  assert.equal(goOn(10), 1_600_020, "what is past already changes nothing");
});

test("a time more than a day ahead is a mistake that the other lines do not share", () => {
  const { time, goOn } = stage();
  time.reach((1_000_000 + 25 * 3_600_000) as Millis);
  assert.equal(goOn(10), 1_000_010);
});
