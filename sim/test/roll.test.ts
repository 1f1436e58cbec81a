import assert from "node:assert/strict";
import { test } from "node:test";
import type { Millis } from "@openseat/kernel";
import { type Beat, sharingLimits } from "@openseat/server";
import { Roll } from "../src/cluster/roll.ts";
import { Random } from "../src/prng.ts";
import { Life, World } from "../src/world.ts";

const answer: Beat = {
  at: 0 as Millis,
  servedSince: 0 as Millis,
  isCaretaker: true,
  others: new Map(),
  heard: [],
  server: "1",
};

// Seed 11054 of several nodes: the answer that a frozen node had late hid for how long the other had taken care.
test("[LS4] a node that is told late that it takes care has not taken over from the one that does", () => {
  const world = new World(new Random(1));
  const roll = new Roll(world);
  const [frozen, other] = [new Life(world), new Life(world)];
  roll.enter("frozen", frozen);
  roll.enter("other", other);
  roll.beating("frozen");
  roll.beaten("frozen");
  world.elapsedMs = 10_000;
  roll.beating("other");
  roll.beaten("other");
  roll.told("other", answer);
  world.elapsedMs += sharingLimits.caretakerMs;
  roll.told("frozen", answer);
  roll.beating("other");
  roll.beaten("other");
  roll.told("other", answer);
  assert.equal(roll.caretakerSinceMs(other), 10_000);
  assert.equal(roll.nextTakenOverMs(0), 10_000);
  assert.equal(roll.nextTakenOverMs(10_001), Number.POSITIVE_INFINITY);
});
