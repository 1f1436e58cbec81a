import type { Bench } from "../bench.ts";
import {
  bareContender,
  barePacedContender,
  hotGame,
  openseatContender,
  openseatPacedContender,
} from "../contenders.ts";
import { type Findings, medianOf } from "../findings.ts";
import { fixedText, rerunText, wholeText } from "../formats.ts";
import { addJoin } from "../requests.ts";
import { alternate, ratesOf, type Side } from "../slices.ts";
import { median } from "../statistics.ts";
import { warmUps } from "./beside-bare.ts";

const p99MaxMs = 50;
export const peakRounds = 2;

/** The latency of a hot join at half of the peak, counted from its due time. */
export function latency(bench: Bench): Promise<Findings> {
  return bench.withOpenseat(async (server) => {
    const { options, progress, bare, bareLoad, bareRequests } = bench;
    const { sliceMs, pacedMs } = options;
    const load = bench.httpLoad(server);
    const games = hotGame(server);
    const peak = await alternate(
      [
        bareContender(bare, bareLoad, bareRequests, sliceMs),
        openseatContender({ name: "openseat", server, load, add: addJoin, games, sliceMs }),
      ],
      { rounds: peakRounds, warmUps, rerunsMax: peakRounds, progress },
    );
    const [bareHalf, openseatHalf] = peak.sides.map((side) => median(ratesOf(side)) / 2);
    const paced = await alternate(
      [
        barePacedContender(bare, bareLoad, bareRequests, bareHalf, pacedMs),
        openseatPacedContender({
          server,
          load,
          add: addJoin,
          games,
          perSecond: openseatHalf,
          sliceMs: pacedMs,
        }),
      ],
      { rounds: options.pacedPairs, warmUps: 0, rerunsMax: options.pacedPairs, progress },
    );
    load.close();
    const [bareSide, openseatSide] = paced.sides;
    const p50 = (side: Side) => medianOf(side, (slice) => slice.latency.percentileUs(0.5) / 1000);
    const p99 = (side: Side) => medianOf(side, (slice) => slice.latency.percentileUs(0.99) / 1000);
    const verdict = {
      what: "p99 of hot joins at half of the peak",
      value: p99(openseatSide),
      measured: `${fixedText(p99(openseatSide), 1)} ms`,
      target: `< ${p99MaxMs} ms`,
      met: p99(openseatSide) < p99MaxMs,
    };
    const note =
      `Latency: at ${wholeText(openseatHalf)} joins/s, half of the peak, p50 ${fixedText(p50(openseatSide), 1)} ms and ` +
      `p99 ${fixedText(p99(openseatSide), 1)} ms; bare at ${wholeText(bareHalf)}/s, half of its own, ` +
      `p50 ${fixedText(p50(bareSide), 1)} ms and p99 ${fixedText(p99(bareSide), 1)} ms ` +
      `(medians of ${options.pacedPairs} slices; ${rerunText(paced)}).`;
    return { rows: [], verdicts: [verdict], notes: [note] };
  });
}
