import type { Bench } from "../bench.ts";
import { hotGame } from "../contenders.ts";
import type { Findings } from "../findings.ts";
import { addJoin } from "../requests.ts";
import { besideBare } from "./beside-bare.ts";

const ratioMin = 0.6;
const ratioAim = 0.8;

/** Joins into one game of 1,000,000 seats: a crowd at its peak. */
export function hot(bench: Bench): Promise<Findings> {
  return bench.withOpenseat(async (server) => {
    const row = await besideBare(bench, "hot game", { server, add: addJoin, games: hotGame(server) });
    const ratio = row.ratio.median;
    const verdict = {
      what: "hot joins over HTTP, to bare",
      value: ratio,
      measured: ratio.toFixed(2),
      target: `≥ ${ratioMin}, aim ${ratioAim}`,
      met: ratio >= ratioMin,
    };
    return { rows: [row], verdicts: [verdict], notes: [] };
  });
}
