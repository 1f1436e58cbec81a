import type { Bench } from "../bench.ts";
import { askingContender, bareContender } from "../contenders.ts";
import { type Findings, rowOf } from "../findings.ts";
import { wholeText } from "../formats.ts";
import type { Person } from "../persons.ts";
import { bookOf, findPlaces, someOf } from "../placed-people.ts";
import type { RequestBook } from "../request-book.ts";
import { addHeartbeat, addPosition } from "../requests.ts";
import { alternate } from "../slices.ts";
import { warmUps } from "./beside-bare.ts";

const ratioMin = 1;

/** People in a line ask for their positions. */
export function position(bench: Bench): Promise<Findings> {
  return asking(bench, "position", addPosition);
}

/** People in a line send heartbeats, which return their positions. */
export function heartbeat(bench: Bench): Promise<Findings> {
  return asking(bench, "heartbeat", addHeartbeat);
}

function asking(
  bench: Bench,
  name: string,
  add: (book: RequestBook, id: string, person: Person) => void,
): Promise<Findings> {
  return bench.withOpenseat(async (server) => {
    const { options, progress, bare, bareLoad, bareRequests } = bench;
    const { sliceMs, waitingAtFirst } = options;
    const queue = await server.createQueue();
    const placed = await findPlaces(bench, server, queue, someOf(1, waitingAtFirst, waitingAtFirst));
    const load = bench.httpLoad(server);
    const contenders = [
      bareContender(bare, bareLoad, bareRequests, sliceMs),
      askingContender({ name, pid: server.pid, load, book: bookOf(placed, add), sliceMs }),
    ];
    const rounds = await alternate(contenders, {
      rounds: options.pairs,
      warmUps,
      rerunsMax: options.pairs,
      progress,
    });
    load.close();
    const row = rowOf(name, rounds, rounds.sides[0], rounds.sides[1]);
    const ratio = row.ratio.median;
    const verdict = {
      what: `${name} with ${wholeText(waitingAtFirst)} waiting, to bare`,
      value: ratio,
      measured: ratio.toFixed(2),
      target: `≥ ${ratioMin.toFixed(1)}`,
      met: ratio >= ratioMin,
    };
    return { rows: [row], verdicts: [verdict], notes: [] };
  });
}
