import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { FaultLog } from "../../src/boot/fault-log.ts";
import { TestClock } from "../support/test-clock.ts";

const minute = 60_000;

interface Logged {
  readonly level: number;
  readonly msg: string;
  readonly repeats?: number;
  readonly err?: { readonly stack: string };
}

function stage() {
  const lines: Logged[] = [];
  const clock = new TestClock();
  const logger = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const faults = new FaultLog(logger, clock);
  const taken = () => lines.splice(0).map(({ msg, repeats }) => [msg, repeats]);
  return { lines, clock, faults, taken };
}

const full = () => new Error("The disk is full.");

test("[LM11] the first failure of a cause is logged in full, then one line per minute counts repetitions", async () => {
  const { lines, clock, faults, taken } = stage();
  for (let second = 0; second < 150; second++) {
    for (let time = 0; time < 10; time++) faults.error(full(), `GET /x failed (req-${second}-${time})`);
    await clock.advance(1_000);
  }
  assert.match(lines[0].err!.stack, /The disk is full/);
  assert.deepEqual(taken(), [
    ["GET /x failed (req-0-0)", undefined],
    ["GET /x failed (req-0-0): happened again", 599],
    ["GET /x failed (req-0-0): happened again", 600],
  ]);
  await clock.advance(minute);
  assert.deepEqual(taken(), [["GET /x failed (req-0-0): happened again", 300]]);
  await clock.advance(minute);
  assert.equal(clock.timers, 0, "a past cause is forgotten");
  faults.error(full(), "again");
  assert.deepEqual(taken(), [["again", undefined]]);
});

test("[LM11] a different message, place or level is a different cause with its own lines", () => {
  const { lines, faults, taken } = stage();
  const elsewhere = () => new Error("The disk is full.");
  for (let time = 0; time < 3; time++) {
    faults.error(full(), "a");
    faults.error(elsewhere(), "b");
    faults.error(new Error(`The log of game/${"x".repeat(10_000)} is damaged.`), "c");
    faults.error("a text", "d");
    faults.warn(undefined, "e");
  }
  assert.deepEqual(
    lines.map(({ level }) => level),
    [50, 50, 50, 50, 40],
  );
  assert.deepEqual(taken().flat().filter(Boolean), ["a", "b", "c", "d", "e"]);
});

test("[LM11] [LM2] the number of causes is bounded; further causes are counted together", async () => {
  const { clock, faults, taken } = stage();
  for (let number = 0; number < 5_000; number++) faults.error(new Error(`no ${number}`), `no ${number}`);
  assert.equal(taken().length, 101);
  assert.equal(clock.timers, 101);
  await clock.advance(minute);
  assert.deepEqual(taken(), [["no 100: happened again", 4_899]]);
  await clock.advance(minute);
  assert.equal(clock.timers, 0);
});

test("[LM11] a stop logs pending summaries and leaves no timer running", () => {
  const { clock, faults, taken } = stage();
  for (let time = 0; time < 3; time++) faults.error(full(), "a");
  faults.close();
  assert.equal(clock.timers, 0);
  for (let time = 0; time < 3; time++) faults.error("later", "b");
  assert.equal(clock.timers, 0);
  assert.deepEqual(taken(), [
    ["a", undefined],
    ["a: happened again", 2],
    ["b", undefined],
  ]);
});
