import type { Lane, Millis } from "@openseat/kernel";
import { must } from "./rule.ts";

/** A person in a line. */
interface Waiting {
  readonly ticket: number;
  readonly lane: number;
  readonly enteredAt: Millis;
}

/** A line at one moment, front first. */
export interface LineAt {
  readonly line: readonly Waiting[];
  /** The first `settled` people can no longer be overtaken (LN4). */
  readonly settled: number;
  readonly at: Millis;
  readonly patienceMs: number;
  readonly lanes: readonly Lane[];
}

/** A person who waited longer than the patience, and everyone ahead of them, can no longer be overtaken (LN4). */
export function settledBy({ line, settled, at, patienceMs }: LineAt): number {
  const hindmost = line.findLastIndex(({ enteredAt }) => at - enteredAt > patienceMs);
  return Math.max(settled, hindmost + 1);
}

/** Checks each rule for the people overtaken, then their number. */
export function checkPlacing(lineAt: LineAt, lane: number, behind: number): void {
  const { line, settled, at, patienceMs, lanes } = lineAt;
  const { length } = line;
  must(Number.isInteger(behind) && behind >= 0 && behind <= length, "LN2", `${behind} of ${length} behind`);
  const isImmediate = (of: number) => lanes[of].immediate;
  for (const [index, { ticket, lane: other, enteredAt }] of line.entries()) {
    if (index < length - behind) continue;
    const whom = `a person in lane ${lane} was placed ahead of ticket ${ticket}`;
    must(other !== lane, "LN1", `${whom}, who came before in the same lane`);
    must(at - enteredAt <= patienceMs, "LN4", `${whom}, who has waited ${at - enteredAt} ms`);
    must(index >= settled, "LN6", `${whom}, who was settled at position ${index + 1}`);
    must(isImmediate(lane) || !isImmediate(other), "LN3", `${whom}, who only waits for a seat`);
  }
  const expected = behindExpected(lineAt, lane);
  must(
    behind === expected,
    "LN2",
    `a person in lane ${lane} has ${behind} people behind instead of ${expected}`,
  );
}

/** LN2: the lane's share of the people waiting, limited by those who may not be overtaken. */
function behindExpected({ line, settled, lanes }: LineAt, lane: number): number {
  const { skips, immediate } = lanes[lane];
  // Calculated in thousandths, because 0.29 × 100 is slightly below 29 in floating point.
  const share = Math.floor((Math.round(skips * 1000) * line.length) / 1000);
  const lastOfLane = line.findLastIndex((other) => other.lane === lane);
  const lastImmediate = line.findLastIndex((other) => lanes[other.lane].immediate);
  const bound = Math.max(lastOfLane + 1, immediate ? 0 : lastImmediate + 1, settled);
  return Math.min(share, line.length - bound);
}
