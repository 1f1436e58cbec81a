import assert from "node:assert/strict";
import { test } from "node:test";
import { deliverySabotages } from "./ladder-sabotage.ts";
import { singleFaults, smallWorld } from "./small-world.ts";
import { ofAnArena, ofPeople, ofTalk } from "./stories.ts";

/** Each seed takes the steps in a different order. */
const seeds = [1, 2];

const fromArena = [
  "ann 1 bob 0 counted",
  "ann 0 bob 1 counted",
  "ann 0 bob 0 counted",
  "ann 1 bob 0 counted",
];

test("[LD12] an arena's match reaches its ladder once without faults", async () => {
  for (const seed of seeds) {
    const { broken, matches, redeliveries } = await smallWorld(ofAnArena, { seed });
    assert.deepEqual(
      { broken, matches, redeliveries },
      { broken: undefined, matches: fromArena, redeliveries: 0 },
    );
  }
});

test("[LD12] an arena's match reaches its ladder once, at whatever step the server dies and whichever log call fails", async () => {
  let redeliveries = 0;
  for (const seed of seeds) {
    const undisturbed = await smallWorld(ofAnArena, { seed });
    for (const fault of singleFaults(undisturbed)) {
      const outcome = await smallWorld(ofAnArena, { seed, fault });
      const words = `seed ${seed}, ${JSON.stringify(fault)}`;
      assert.equal(outcome.broken, undefined, words);
      assert.deepEqual(outcome.matches, fromArena, words);
      assert.deepEqual(outcome.ratings, undisturbed.ratings, words);
      redeliveries += outcome.redeliveries;
    }
  }
  // Proves that a crash fell between an arrival and its receipt.
  assert.ok(redeliveries > 0, "no message was delivered twice");
});

test("[LD1 LD2 LD8 LD9] ladder commands take effect once and completely, at whatever step the server dies and whichever log call fails", async () => {
  for (const seed of seeds) {
    const undisturbed = await smallWorld(ofPeople, { seed });
    // Matches 1 and 2 come from the file.
    assert.deepEqual(undisturbed.matches.slice(2), ["ann 3 bob 1 voided", "bob 0 ann 1 declined"]);
    for (const fault of singleFaults(undisturbed)) {
      const { broken, matches, ratings } = await smallWorld(ofPeople, { seed, fault });
      const { matches: all, ratings: own } = undisturbed;
      const words = `seed ${seed}, ${JSON.stringify(fault)}`;
      assert.deepEqual(
        { broken, matches, ratings },
        { broken: undefined, matches: all, ratings: own },
        words,
      );
    }
  }
});

test("[CH1 CH2 CH4 CH7 NM3 LD12] chat messages take effect once and everyone is notified, at whatever step the server dies and whichever log or channel call fails", async () => {
  const [seed] = seeds;
  const undisturbed = await smallWorld(ofTalk, { seed });
  const { matches, ratings, notices } = undisturbed;
  assert.deepEqual(
    { broken: undisturbed.broken, matches },
    { broken: undefined, matches: ["ann 3 chat_1 1 counted", "ann 0 chat_1 1 counted"] },
  );
  let redeliveries = 0;
  for (const fault of singleFaults(undisturbed)) {
    const outcome = await smallWorld(ofTalk, { seed, fault });
    const words = JSON.stringify(fault);
    assert.equal(outcome.broken, undefined, words);
    assert.deepEqual([outcome.matches, outcome.ratings, outcome.notices], [matches, ratings, notices], words);
    redeliveries += outcome.redeliveries;
  }
  assert.ok(redeliveries > 0, "no message was delivered twice");
});

for (const { name, parts } of deliverySabotages) {
  test(`[LD12] a crash at some step reveals ${name}`, async () => {
    const [seed] = seeds;
    for (const fault of [undefined, ...singleFaults(await smallWorld(ofAnArena, { seed }))])
      if ((await smallWorld(ofAnArena, { seed, fault, broken: parts() })).broken?.rule === "LD12") return;
    assert.fail("no step reveals it");
  });
}
