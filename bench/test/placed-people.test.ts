import assert from "node:assert/strict";
import { test } from "node:test";
import { someOf } from "../src/placed-people.ts";

test("some of many are different numbers among them, and never more than there are", () => {
  const some = someOf(11, 1_000, 100);
  assert.equal(new Set(some).size, 100);
  assert.ok(some.every((number) => number >= 11 && number < 1_011));
  assert.deepEqual(someOf(1, 5, 100).sort(), Uint32Array.of(1, 2, 3, 4, 5));
});
