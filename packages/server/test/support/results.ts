import assert from "node:assert/strict";
import type { Result } from "../../src/app/result.ts";
import type { Json } from "./http.ts";

/** What a use case returned, when it is sure to have been done. */
export function doneOf<Value>(result: Result<Value>): Value {
  assert.ok("value" in result, JSON.stringify(result));
  return result.value;
}

/** The code of a refusal; undefined when there was none. */
export function codeOf(result: Result<unknown>): string | undefined {
  return "refusal" in result ? result.refusal.code : undefined;
}

/** What a client would find in the body of the answer: the data, or the refusal. */
export function bodyOf(result: Result<unknown>): Json {
  return "refusal" in result ? result.refusal : { data: result.value };
}
