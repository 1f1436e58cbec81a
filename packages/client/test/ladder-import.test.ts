import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { LadderImport } from "@openseat/protocol";
import { followImport } from "../src/ladder-import.ts";
import { ManualClock } from "./support/clocks.ts";

const at = "2030-01-01T12:00:00.000Z";
const rows = 1_000;

function progress(done: number): LadderImport {
  const status = done === rows ? "done" : "running";
  return { import: { id: "i", rows, done, status, begunAt: at, changedAt: at } };
}

/** Lets pending promises settle, then advances the clock to the next poll. */
async function passTime(clock: ManualClock): Promise<number> {
  await new Promise(setImmediate);
  const ms = clock.nextInMs;
  clock.advance(ms);
  return ms;
}

suite("following an import", () => {
  test("reports progress when it changes, and resolves when all rows count", async () => {
    const clock = new ManualClock();
    const answers = [progress(400), progress(400), progress(rows)];
    const reported: number[] = [];
    const done = followImport(
      progress(0),
      async () => answers.shift()!,
      ({ done }) => reported.push(done),
      clock,
    );
    while (answers.length > 0) await passTime(clock);
    assert.deepEqual(await done, progress(rows).import);
    assert.deepEqual(reported, [0, 400, rows]);
    assert.equal(clock.timers, 0);
  });

  test("a finished import is not polled", async () => {
    const look = () => assert.fail("it asked");
    assert.equal((await followImport(progress(rows), look, () => {}, new ManualClock())).status, "done");
  });

  test("a long import is polled less and less often, up to a maximum interval", async () => {
    const clock = new ManualClock();
    let looks = 0;
    const look = async () => progress(++looks === 8 ? rows : looks);
    const done = followImport(progress(0), look, () => {}, clock);
    const waits: number[] = [];
    while (looks < 8) waits.push(await passTime(clock));
    await done;
    assert.deepEqual(waits, [100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000]);
  });

  test("an error while polling rejects the import", async () => {
    const clock = new ManualClock();
    const fails = async () => {
      throw new Error("gone");
    };
    const done = followImport(progress(0), fails, () => {}, clock);
    const rejected = assert.rejects(done, /gone/);
    await passTime(clock);
    await rejected;
  });
});
