import assert from "node:assert/strict";
import { test } from "node:test";
import { refusals } from "@openseat/kernel";
import { simulate } from "../src/run.ts";
import { queueSabotages } from "./queue-sabotage.ts";
import { sabotages } from "./sabotage.ts";

const seedsHere = 80;
const seedsToNotice = 120;

test("[RM2 RM3 RM4 RM5 RM6 RM7 GM2 GM3 GM5 GM6 GM7 GM8 LN1 LN2 LN3 LN4 LN5 LN6 LN7 AD2 AD3 AD4 LS1 LS4 ID1 ID2 ID4 ID5 LG1 LG2 LG3 LG5 FD1] no rule breaks in any of these worlds", async () => {
  for (let seed = 1; seed <= seedsHere; seed++) {
    const { broken } = await simulate(seed);
    assert.equal(broken, undefined, `seed ${seed}. Rerun: npm run sim -- --seed ${seed}`);
  }
});

test("a seed has one history", async () => {
  const first = await simulate(8812);
  assert.deepEqual(await simulate(8812), first);
  assert.notEqual((await simulate(8813)).historyHash, first.historyHash);
});

test("[ID2] the simulator's word for a key used twice is the one that HTTP says as 422", () => {
  assert.equal(refusals["key.reused"].status, 422);
});

for (const { name, rules, parts } of [...sabotages, ...queueSabotages]) {
  test(`[${rules.join(" ")}] the simulator notices ${name}`, async () => {
    // A fault may show itself first by another rule than its own; in some world it shows itself by its own.
    const others = new Set<string>();
    for (let seed = 1; seed <= seedsToNotice; seed++) {
      const { broken } = await simulate(seed, { parts: parts() });
      if (broken && rules.includes(broken.rule)) return;
      if (broken) others.add(`${broken.rule}: ${broken.sentence}`);
    }
    assert.fail(
      `none of ${seedsToNotice} seeds noticed. They noticed: ${[...others].join("; ") || "nothing"}`,
    );
  });
}
