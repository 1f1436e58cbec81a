import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Ladder,
  type LadderCommand,
  type LadderEvent,
  ladderDecider,
  type PersonId,
  playerCalled,
  standingOf,
} from "@openseat/kernel";
import { Host, MemoryLog, systemClock } from "@openseat/server";
import { fillLadder, ratingOf } from "../src/ladders/ladder-filling.ts";
import { personName } from "../src/persons.ts";

test("a filled ladder has the players that were ordered, whose ranks follow from their ratings", async (t) => {
  const host = new Host({ log: new MemoryLog(), clock: systemClock, deciders: { ladder: ladderDecider } });
  t.after(() => host.stop());
  const ladders = host.streams<Ladder, LadderCommand, LadderEvent>("ladder");
  const told: number[] = [];
  await fillLadder(ladders, { ladder: "long", players: 3_000 }, (count) => told.push(count));
  assert.equal(told.at(-1), 3_000);

  const ratings = Array.from({ length: 3_000 }, (_, index) => ratingOf(index + 1));
  assert.equal(new Set(ratings).size, 3_000);
  const higher = ratings.filter((rating) => rating > ratingOf(1_234)).length;
  const found = await ladders.read("long", (ladder) => {
    const number = playerCalled(ladder!, personName(1_234) as PersonId);
    return { present: ladder!.players.present, standing: standingOf(ladder!, number!) };
  });
  assert.ok("value" in found);
  assert.equal(found.value.present, 3_000);
  assert.equal(found.value.standing.rating, ratingOf(1_234));
  assert.equal(found.value.standing.rank, 1 + higher);
});
