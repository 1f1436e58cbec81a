// Some tests need a program that a machine may lack. They are skipped there, and the end of the run says why.
import assert from "node:assert/strict";
import * as everything from "node:test";

/** If nothing may be missing, as in CI, a test that cannot run fails. */
const mayNotSkip = process.env.OPENSEAT_TEST_REQUIRE_ALL === "1";

type Tests = Pick<
  typeof everything,
  "after" | "afterEach" | "before" | "beforeEach" | "describe" | "suite" | "test"
>;

/**
 * `node:test` for tests with requirements. Each argument is the reason why something is missing, or undefined if it is here. If
 * something is missing, each test is skipped with that reason and no hook runs. (A skipped suite would hide how many tests are
 * in it.)
 */
export function testsNeeding(...missing: readonly (string | undefined)[]): Tests {
  const reason = missing.find((each) => each !== undefined);
  if (reason === undefined) return everything;
  const skipped = (name: string) =>
    mayNotSkip
      ? everything.test(name, () => assert.fail(reason))
      : everything.test(name, { skip: reason }, () => {});
  const ignored = () => {};
  return {
    ...{ describe: everything.describe, suite: everything.suite, test: skipped as typeof everything.test },
    ...{ after: ignored, afterEach: ignored, before: ignored, beforeEach: ignored },
  };
}
