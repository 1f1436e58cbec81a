import assert from "node:assert/strict";
import { test } from "node:test";
import { predictedUs, turnModelOf } from "../src/nodes/turn-model.ts";

test("the model finds what costs were made of, and says what they are on more nodes", () => {
  const model = { joinUs: 40, turnUs: 3_000, followUs: 12 };
  const costAt = (nodes: number, joinsPerTurn: number) => ({
    usEach: predictedUs(model, nodes, joinsPerTurn),
    joinsPerTurn,
  });
  assert.equal(costAt(1, 300).usEach, 50);
  assert.equal(costAt(3, 100).usEach, 94);
  const found = turnModelOf(costAt(1, 250), costAt(1, 20), costAt(2, 120));
  for (const part of ["joinUs", "turnUs", "followUs"] as const)
    assert.ok(Math.abs(found[part] - model[part]) < 1e-9);
});
