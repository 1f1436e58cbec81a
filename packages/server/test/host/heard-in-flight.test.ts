import assert from "node:assert/strict";
import { test } from "node:test";
import { turns } from "../support/test-clock.ts";
import { LeaseStage, windowMs } from "./leased-room.ts";

test("[LS1] a sign of life counts while something is on its way to the disk, also when its ticket has to be found first", async () => {
  const stage = new LeaseStage();
  await stage.crowded("r", 2);
  stage.log.holding = true;
  const entering = stage.ask("r", { type: "enter" });
  await turns();
  assert.equal(
    stage.rooms.peek("r", () => "seen"),
    undefined,
    "nobody is shown what may be lost",
  );
  stage.rooms.heard("r", (room) => (room.places.has(2) ? 2 : undefined));
  stage.rooms.heard("r", () => undefined);
  stage.log.releaseAll();
  await entering;
  await stage.clock.advance(windowMs);
  assert.deepEqual(await stage.lapsed("r"), [1]);
});
