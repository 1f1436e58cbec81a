import type { Lane as KernelLane, Refusal } from "@openseat/kernel";
import type { NewQueue } from "@openseat/protocol";
import { invalidInput } from "../invalid-input.ts";

type GivenLane = NonNullable<NewQueue["lanes"]>[number];

export function lanesFrom(lanes: readonly GivenLane[]): KernelLane[] {
  return lanes.map(({ name, skips, immediate = false }) => ({ name, skips, immediate }));
}

/** Faults that a schema cannot express. */
export function faultInLanes(lanes: readonly GivenLane[]): Refusal | undefined {
  const lane = lanes.findIndex(({ skips }) => !hasThreeDecimals(skips));
  if (lane >= 0) return invalidInput("body", `lanes.${lane}.skips`, "must have at most three decimals");
  const names = new Set(lanes.map(({ name }) => name));
  return names.size < lanes.length ? invalidInput("body", "lanes", "must have different names") : undefined;
}

export function hasThreeDecimals(value: number): boolean {
  return value === Math.round(value * 1000) / 1000;
}
