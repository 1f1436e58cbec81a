import type { Refusal } from "@openseat/kernel";
import type { AskOutcome } from "../host/stream/asks.ts";

/** What a use case returns. Routes and live messages turn it into their answers. */
export type Result<Value> = Done<Value> | Refused;
export type AsyncResult<Value> = Promise<Result<Value>>;
/** Available at once if everything it needs is in memory. */
export type SoonResult<Value> = Result<Value> | AsyncResult<Value>;

export interface Done<Value> {
  readonly value: Value;
  /** ID1: the key was seen before, so this repeats the first answer and nothing else was done. */
  readonly replayed?: boolean;
}

export interface Refused {
  readonly refusal: Refusal;
}

export type Decided<State, Event> = Exclude<AskOutcome<State, Event>, Refused>;

export function refused(refusal: Refusal): Refused {
  return { refusal };
}

export function mapped<From, To>(result: Result<From>, map: (value: From) => To): Result<To> {
  return "refusal" in result ? result : { ...result, value: map(result.value) };
}

/** Flattens a result whose value is itself a result. */
export function flattened<Value>(found: Result<Result<Value>>): Result<Value> {
  return "refusal" in found ? found : found.value;
}

export function answered<State, Event, Value>(
  outcome: AskOutcome<State, Event>,
  show: (decided: Decided<State, Event>) => Value,
): Result<Value> {
  return "refusal" in outcome ? outcome : { value: show(outcome), replayed: outcome.replayed };
}
