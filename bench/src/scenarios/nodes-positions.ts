import type { Bench } from "../bench.ts";
import { askingContender, bareContender, writeBook } from "../contenders.ts";
import { type Findings, rowOf } from "../findings.ts";
import { fixedText, rerunText, wholeText } from "../formats.ts";
import { HttpLoad } from "../http-load.ts";
import { LatencyHistogram } from "../latency-histogram.ts";
import type { Fleet } from "../nodes/fleet.ts";
import { sideText } from "../nodes/side-text.ts";
import { fleetSizes, nodesText, type Stage } from "../nodes/stage.ts";
import type { Options } from "../options.ts";
import { bookOf, findPlaces, someOf } from "../placed-people.ts";
import { RequestBook } from "../request-book.ts";
import { addEnter, addPosition } from "../requests.ts";
import { alternate, type Contender } from "../slices.ts";
import { warmUpsOfNodes } from "./nodes-joins.ts";

/** Far from the numbers used for joins, so that nobody enters twice. */
const firstPlaced = 1_000_000_000;
/** People who enter during the measurement, so that every node has to read new entries. */
const entersPerSecond = 500;

export const positionSteps = ({ pairs }: Options): number =>
  (1 + 2 * fleetSizes.length) * (pairs + warmUpsOfNodes);

/**
 * Positions in one line, asked of one, two and all three nodes, and then again while others enter at the third
 * node.
 */
export async function nodesPositions(bench: Bench, stage: Stage): Promise<Findings> {
  const { options, progress, bare, bareLoad, bareRequests } = bench;
  const { sliceMs, pairs, connections, waitingAtFirst } = options;
  const fleet = stage.fleets.at(-1)!.server;
  const queue = await fleet.first.createQueue();
  const placed = await findPlaces(
    bench,
    fleet.first,
    queue,
    someOf(firstPlaced, waitingAtFirst, waitingAtFirst),
  );
  // The first question about this line on that node, which has to load it.
  const fetchMs = await fleet.nodes.at(-1)!.positionMs(placed[0].id, placed[0].person);
  const loads = fleetSizes.map((count) => fleet.load(connections, count));
  const pids = [...fleet.pids, stage.textbook.server.pid];
  const asking = (beside: string) =>
    fleetSizes.map((count, index) => {
      const book = bookOf(placed, addPosition);
      const contender = askingContender({
        ...{
          name: `positions${beside}, ${nodesText(count)}`,
          pid: pids[0],
          load: loads[index],
          book,
          sliceMs,
        },
      });
      return { ...contender, alsoPids: pids.slice(1) };
    });
  const entering = new Entering(fleet, queue, sliceMs);
  const contenders = [
    bareContender(bare, bareLoad, bareRequests, sliceMs),
    ...asking(""),
    ...asking(" beside entering").map((contender) => entering.beside(contender)),
  ];
  const rounds = await alternate(contenders, {
    ...{ rounds: pairs, warmUps: warmUpsOfNodes, rerunsMax: pairs, progress },
  });
  for (const load of loads) load.close();
  entering.close();
  const [bareSide, ...sides] = rounds.sides;
  const note =
    `Positions of ${wholeText(waitingAtFirst)} waiting, on three nodes: ` +
    `${sides.map((side) => `${side.name} ${sideText(side)}`).join("; ")}. Meanwhile ${entersPerSecond} people per second entered ` +
    `at the third node (${entering.text}; ${rerunText(rounds)}). The first ` +
    `position on a node that had not loaded the line took ${wholeText(fetchMs)} ms.`;
  return {
    rows: sides.map((side) => rowOf(side.name, rounds, bareSide, side)),
    verdicts: [],
    notes: [note],
  };
}

/** People who enter a line at a constant rate, at the last node. */
class Entering {
  readonly #fleet: Fleet;
  readonly #queue: string;
  readonly #sliceMs: number;
  readonly #load: HttpLoad;
  readonly #book = new RequestBook();
  readonly #latency = new LatencyHistogram();

  constructor(fleet: Fleet, queue: string, sliceMs: number) {
    this.#fleet = fleet;
    this.#queue = queue;
    this.#sliceMs = sliceMs;
    this.#load = new HttpLoad(fleet.nodes.at(-1)!.address, 64);
  }

  /** The contender's slices while people enter. */
  beside(contender: Contender): Contender {
    return {
      ...contender,
      prepare: async () => {
        await contender.prepare();
        const count = Math.ceil((entersPerSecond * this.#sliceMs) / 1000);
        await writeBook(this.#book, count, addEnter, this.#fleet.crowd, async () => () => this.#queue);
      },
      run: async () => {
        const entered = this.#load.pace(this.#book, entersPerSecond, this.#sliceMs);
        const [result, { latency }] = await Promise.all([contender.run(), entered]);
        this.#latency.add(latency);
        return result;
      },
    };
  }

  get text(): string {
    const ms = (share: number): string => fixedText(this.#latency.percentileUs(share) / 1000, 1);
    return `from the due time: p50 ${ms(0.5)} ms, p99 ${ms(0.99)} ms`;
  }

  close(): void {
    this.#load.close();
  }
}
