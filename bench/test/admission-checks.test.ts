import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Admission, inversionsByTime, inversionsIn, overBound } from "../src/flash/admission-checks.ts";

function admissions(...tickets: readonly (readonly [ticket: number, lane: number])[]): Admission[] {
  return tickets.map(([ticket, lane], at) => ({ ticket, lane, at }));
}

test("whoever is admitted after someone of their lane who came later is counted", () => {
  assert.equal(inversionsIn(admissions([1, 0], [2, 0], [9, 3], [3, 0], [4, 0])), 0);
  assert.equal(inversionsIn(admissions([1, 0], [3, 0], [2, 0], [4, 0])), 1);
  assert.equal(inversionsIn(admissions([5, 0], [6, 2], [1, 0], [2, 0], [3, 2])), 3);
});

test("the same is seen from times, whatever the order in which people were told", () => {
  const inOrder = admissions([1, 0], [2, 0], [9, 3], [3, 0]);
  assert.equal(inversionsByTime(inOrder), 0);
  assert.equal(inversionsByTime(inOrder.toReversed()), 0);
  assert.equal(inversionsByTime(admissions([1, 0], [3, 0], [2, 0]).toReversed()), 1);
  assert.equal(
    inversionsByTime([
      { ticket: 2, lane: 0, at: 7 },
      { ticket: 1, lane: 0, at: 7 },
    ]),
    0,
    "in one moment there is no earlier",
  );
});

test("a full bucket, and what flows into it, is no more than the bound", () => {
  assert.equal(overBound([], 5, 3), 0);
  assert.equal(overBound([0, 0, 0, 200, 400], 5, 3), 0);
  assert.equal(overBound([0, 0, 0, 0], 5, 3), 1);
  assert.ok(overBound([0, 0, 0, 199], 5, 3) > 0);
  assert.ok(
    overBound([0, 100_000, 100_000, 100_000, 100_000], 5, 3) > 0,
    "a quiet time fills no more than the burst",
  );
});

test("the bound is that of every window, however they are chosen", () => {
  const times = fc
    .array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 40 })
    .map((values) => values.sort((left, right) => left - right));
  const rates = fc.constantFrom(0.3, 7, 33.333, 500);
  fc.assert(
    fc.property(times, rates, fc.integer({ min: 1, max: 5 }), (at, rate, burst) => {
      let worst = Number.NEGATIVE_INFINITY;
      for (let first = 0; first < at.length; first++) {
        for (let last = first; last < at.length; last++)
          worst = Math.max(worst, last - first + 1 - burst - (rate * (at[last] - at[first])) / 1000);
      }
      assert.ok(Math.abs(overBound(at, rate, burst) - worst) < 1e-6);
    }),
  );
});
