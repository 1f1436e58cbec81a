import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { arenaDecider } from "@openseat/kernel";
import { DeciderStage } from "../decider-stage.ts";
import { createArena, join, leave, only } from "./stage.ts";

const tiers = [
  { arena: "low", name: "Novices", from: null, below: 1_200 },
  { arena: "mid", name: "Players", from: 1_200, below: 1_500 },
  { arena: "top", name: "Masters", from: 1_500, below: null },
];

/** The arena of one of the three tiers. */
function tierStage(tier: number) {
  const create = { ...createArena(), rated: { ladder: "l", tiers, tier } };
  return new DeciderStage(arenaDecider, create, 1_000);
}

describe("[AR12] an arena with several tiers", () => {
  test("[AR12] takes exactly the ratings of its range: the lower bound belongs to it, the upper to the next tier", () => {
    for (const [rating, own] of [
      [-1_000, 0],
      [1_199.999, 0],
      [1_200, 1],
      [1_499.999, 1],
      [1_500, 2],
      [9_000, 2],
    ])
      for (const tier of tiers.keys()) {
        const stage = tierStage(tier);
        const command = join("ann", 0, rating);
        const { arena, name } = tiers[own];
        if (tier === own) assert.equal(only(stage.do(command), "entered").length, 1, `${rating} in ${name}`);
        else stage.refused(command, "tier.other", { arena, tier: name, rating });
      }
  });

  test("[AR12] refuses players of other ratings, and names their arena", () => {
    for (const [tier, rating, message] of [
      [0, 1_600, "This arena is for Novices: below 1200. With 1600 you play in Masters."],
      [1, 1_100.4, "This arena is for Players: from 1200 to below 1500. With 1100 you play in Novices."],
      [2, 1_300, "This arena is for Masters: from 1500. With 1300 you play in Players."],
    ] as const)
      assert.equal(tierStage(tier).refusal(join("ann", 0, rating)).message, message);
  });

  test("[AR12] keeps people on their places when their rating changes", () => {
    const stage = tierStage(0);
    stage.do(join("ann", 0, 1_100));
    stage.refused(join("ann", 0, 1_600), "place.exists");
    stage.do(leave("ann"));
    stage.refused(join("ann", 0, 1_600), "tier.other");
  });
});
