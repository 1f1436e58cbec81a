import assert from "node:assert/strict";
import type { Result } from "../../src/app/result.ts";
import type { Json } from "./http.ts";

/** The value of a use case's result, which must be a success. */
export function doneOf<Value>(result: Result<Value>): Value {
  assert.ok("value" in result, JSON.stringify(result));
  return result.value;
}

/** The code of a refusal; undefined if there was none. */
export function codeOf(result: Result<unknown>): string | undefined {
  return "refusal" in result ? result.refusal.code : undefined;
}

/** The body that a client would get: the data or the refusal. */
export function bodyOf(result: Result<unknown>): Json {
  return "refusal" in result ? result.refusal : { data: result.value };
}
