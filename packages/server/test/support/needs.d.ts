import * as everything from "node:test";
type Tests = Pick<typeof everything, "after" | "afterEach" | "before" | "beforeEach" | "describe" | "suite" | "test">;
/**
 * `node:test` for tests with requirements. Each argument is the reason why something is missing, or undefined if it is here. If
 * something is missing, each test is skipped with that reason and no hook runs. (A skipped suite would hide how many tests are
 * in it.)
 */
export declare function testsNeeding(...missing: readonly (string | undefined)[]): Tests;
export {};
