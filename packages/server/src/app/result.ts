import type { Refusal } from "@openseat/kernel";

/** What a use case returns. It knows nothing of HTTP: routes and live messages turn it into their answers. */
export type Result<Value> = Done<Value> | Refused;

interface Done<Value> {
  readonly value: Value;
  /** The same key was seen before: this is what came of it then, and nothing was done again (ID1). */
  readonly replayed?: boolean;
}

export interface Refused {
  readonly refusal: Refusal;
}

export function refused(refusal: Refusal): Refused {
  return { refusal };
}

/** The same result, with its value in another form. */
export function mapped<From, To>(result: Result<From>, map: (value: From) => To): Result<To> {
  return "refusal" in result ? result : { ...result, value: map(result.value) };
}
