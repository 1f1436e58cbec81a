import type { Bench } from "../bench.ts";
import { bareContender, hotQueue, openseatContender } from "../contenders.ts";
import { type Findings, rowOf, type Verdict } from "../findings.ts";
import { addEnter, addEnterWithoutKey } from "../requests.ts";
import { alternate } from "../slices.ts";
import { warmUps } from "./beside-bare.ts";

const ratioMin = 0.7;
const ratioAim = 0.85;

/** People enter one queue with few seats, with and without a key. */
export function enter(bench: Bench): Promise<Findings> {
  return bench.withOpenseat(async (server) => {
    const { options, progress, bare, bareLoad, bareRequests } = bench;
    const { sliceMs } = options;
    const load = bench.httpLoad(server);
    const games = hotQueue(server);
    const contenders = [
      bareContender(bare, bareLoad, bareRequests, sliceMs),
      openseatContender({ name: "enter", server, load, add: addEnter, games, sliceMs }),
      openseatContender({
        name: "enter without a key",
        server,
        load,
        add: addEnterWithoutKey,
        games,
        sliceMs,
      }),
    ];
    const rounds = await alternate(contenders, {
      rounds: options.pairs,
      warmUps,
      rerunsMax: options.pairs,
      progress,
    });
    load.close();
    const [bareSide, keyedSide, plainSide] = rounds.sides;
    const rows = [
      rowOf("enter", rounds, bareSide, keyedSide),
      rowOf("enter, no key", rounds, bareSide, plainSide),
    ];
    const verdictOf = (what: string, ratio: number): Verdict => ({
      what,
      value: ratio,
      measured: ratio.toFixed(2),
      target: `≥ ${ratioMin}, aim ${ratioAim}`,
      met: ratio >= ratioMin,
    });
    const verdicts = [
      verdictOf("entering a line over HTTP, to bare", rows[0].ratio.median),
      verdictOf("entering a line without a key, to bare", rows[1].ratio.median),
    ];
    return { rows, verdicts, notes: [] };
  });
}
