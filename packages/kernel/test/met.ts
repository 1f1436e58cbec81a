import assert from "node:assert/strict";
import fc from "fast-check";

const runsMax = 5_000;

/**
 * Asserts that exactly these outcomes were met. Random scripts miss a rare one now and then, so more scripts are played until
 * none is missing; an outcome that no longer happens is still missing after thousands of them.
 */
export function assertAllMet<T>(
  met: ReadonlySet<string>,
  expected: readonly string[],
  property: fc.IProperty<T>,
): void {
  const isMissing = () => expected.some((outcome) => !met.has(outcome));
  const atOnce = 50;
  for (let runs = 0; runs < runsMax && isMissing(); runs += atOnce) fc.assert(property, { numRuns: atOnce });
  assert.deepEqual([...met].sort(), expected);
}
