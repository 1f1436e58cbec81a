import type { Bench } from "../bench.ts";
import { bareContender, hotGame, openseatContender } from "../contenders.ts";
import { type Findings, rowOf } from "../findings.ts";
import { addJoin, addWsJoin } from "../requests.ts";
import { alternate, ratesOf } from "../slices.ts";
import { ratioSpread } from "../statistics.ts";
import { warmUps } from "./beside-bare.ts";

const timesHttpMin = 2;

/** Joins into one hot game over WebSocket, alternating with HTTP slices, because the two are compared. */
export function websocket(bench: Bench): Promise<Findings> {
  return bench.withOpenseat(async (server) => {
    const { options, progress, bare, bareLoad, bareRequests } = bench;
    const { sliceMs } = options;
    const http = bench.httpLoad(server);
    const ws = bench.wsLoad(server);
    const games = hotGame(server);
    const contenders = [
      bareContender(bare, bareLoad, bareRequests, sliceMs),
      openseatContender({ name: "openseat over HTTP", server, load: http, add: addJoin, games, sliceMs }),
      openseatContender({
        name: "openseat over WebSocket",
        server,
        load: ws,
        add: addWsJoin,
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
    http.close();
    ws.close();
    const [bareSide, httpSide, wsSide] = rounds.sides;
    const timesHttp = ratioSpread(ratesOf(wsSide), ratesOf(httpSide));
    const verdict = {
      what: "hot joins over WebSocket, to HTTP",
      value: timesHttp.median,
      measured: `${timesHttp.median.toFixed(2)} ×`,
      target: `≥ ${timesHttpMin} ×`,
      met: timesHttp.median >= timesHttpMin,
    };
    return { rows: [rowOf("hot game, WebSocket", rounds, bareSide, wsSide)], verdicts: [verdict], notes: [] };
  });
}
