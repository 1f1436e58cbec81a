import assert from "node:assert/strict";
import { test } from "node:test";
import { turns } from "../support/test-clock.ts";
import { Reader, theatre } from "./theatre.ts";

test("[FD1] whoever comes back when the log cannot be read is sent away, and not shown a view in place of what happened", async () => {
  const stage = await theatre();
  await stage.joins(2, 10);
  const [early, later] = [new Reader(), new Reader()];
  stage.log.down = true;
  stage.watch(early, 5);
  // Only the first question fails.
  queueMicrotask(() => {
    stage.log.down = false;
  });
  await turns();
  assert.equal(early.versions, "");
  assert.equal(early.dropped.length, 1);
  stage.watch(later, 5);
  await turns();
  assert.equal(later.versions, "6 7 8 9 10");
});
