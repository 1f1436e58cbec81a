import type { Bench } from "../bench.ts";
import { fillingSteps } from "../filling.ts";
import { type Findings, together } from "../findings.ts";
import type { Options } from "../options.ts";
import { warmUps } from "./beside-bare.ts";
import { ladderMatches, poolTries } from "./ladder-matches.ts";
import { ladderRanks, playersOnLadders, warmUpsOfLadders } from "./ladder-ranks.ts";
import { ladderVoids } from "./ladder-voids.ts";

export function ladderSteps({ pairs, waiting, restarts }: Options): number {
  const matches = poolTries + 3 * (pairs + warmUps);
  const ranks = fillingSteps(playersOnLadders(waiting)) + 2 * 2 * (pairs + warmUpsOfLadders) + 1;
  return matches + ranks + restarts;
}

/** Matches on one ladder, ranks on a long one, and a void that goes far back. */
export async function ladder(bench: Bench): Promise<Findings> {
  const found: Findings[] = [];
  for (const measure of [ladderMatches, ladderRanks, ladderVoids]) found.push(await measure(bench));
  return together(found);
}
