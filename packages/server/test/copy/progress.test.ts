import assert from "node:assert/strict";
import { test } from "node:test";
import { Progress } from "../../src/copy/progress.ts";

const totals = { streams: 20, entries: 4_000, bytes: 8_000_000 };
const half = { streams: 10, entries: 2_000, bytes: 4_000_000 };

/** Progress on a clock that the test sets. */
function watched(isTTY: boolean, all = totals) {
  const written: string[] = [];
  let now = 1_000;
  const out = { isTTY, write: (text: string) => void written.push(text) };
  const progress = new Progress(all, out, () => now);
  return {
    written,
    progress,
    at(elapsedMs: number) {
      now = 1_000 + elapsedMs;
      return progress;
    },
  };
}

test("[LG7] without a terminal, a line every few seconds shows progress and remaining time", () => {
  const { written, at } = watched(false);
  at(10).report("copying", { streams: 0, entries: 0, bytes: 0 });
  at(5_009).report("copying", half);
  at(5_010).report("copying", half);
  at(10_009).report("copying", half);
  at(30_000).report("verifying", half);
  at(30_000).end();
  assert.deepEqual(written, [
    "copying: 0 of 20 streams, 0 of 4,000 entries, 0.0 of 8.0 MB, 0 %\n",
    "copying: 10 of 20 streams, 2,000 of 4,000 entries, 4.0 of 8.0 MB, 25 %, about 16 s left\n",
    "verifying: 10 of 20 streams, 2,000 of 4,000 entries, 4.0 of 8.0 MB, 75 %, about 10 s left\n",
  ]);
});

test("[LG7] on a terminal one line is updated, and later output starts on a new line", () => {
  const { written, at } = watched(true);
  at(50).report("verifying", half);
  at(149).report("verifying", totals);
  at(150).report("copying", half);
  at(200).end();
  at(200).end();
  const [first, second, ...rest] = written;
  assert.match(first, /^\rverifying: [^\n]+ left$/);
  assert.match(second, /^\rcopying: [^\n]+ left +$/);
  assert.equal(second.length, first.length, "nothing of the longer previous line is left");
  assert.deepEqual(rest, ["\n"]);
});

test("[LG7] a line is never longer than the terminal is wide", () => {
  const written: string[] = [];
  const out = { isTTY: true, columns: 40, write: (text: string) => void written.push(text) };
  new Progress(totals, out, () => 0).report("copying", half);
  assert.deepEqual(written, ["\rcopying: 10 of 20 streams, 2,000 of 4,0"]);
});

test("[LG7] the remaining time is unknown at first and shown in minutes and hours; an empty log is done", () => {
  const { written, at } = watched(false);
  at(10_000).report("copying", { streams: 0, entries: 0, bytes: 0 });
  at(300_000).report("copying", half);
  at(30_000_000).report("copying", half);
  assert.match(written[0], / 0 %\n$/);
  assert.match(written[1], /about 15 min left\n$/);
  assert.match(written[2], /about 25\.0 h left\n$/);
  const none = watched(false, { streams: 0, entries: 0, bytes: 0 });
  none.at(10_000).report("verifying", { streams: 0, entries: 0, bytes: 0 });
  assert.match(none.written[0], / 0\.0 of 0\.0 MB, 100 %, about 0 s left\n$/);
});
