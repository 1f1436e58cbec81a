import { fileURLToPath } from "node:url";
import type { Bench } from "../bench.ts";
import { askingContender } from "../contenders.ts";
import { fillLines } from "../filled-lines.ts";
import { cpuUsEach, type Findings, type Verdict } from "../findings.ts";
import { fixedText, rerunText, wholeText } from "../formats.ts";
import type { KernelOrder, KernelReport } from "../kernel-positions.ts";
import { type LineMix, lineMixes } from "../line-mixes.ts";
import type { Openseat } from "../openseat-server.ts";
import { bookOf, findPlaces, someOf } from "../placed-people.ts";
import { addPosition } from "../requests.ts";
import { queueSeats } from "../room-settings.ts";
import { costText, kernelCosts, spreadText, usEach } from "../size-costs.ts";
import { alternate, ratesOf } from "../slices.ts";
import { ratioSpread } from "../statistics.ts";

const timesMax = 1.3;
const smallLine = 10_000;
const kernelProgram = fileURLToPath(new URL("../kernel-positions.ts", import.meta.url));
export const warmUpsOfLines = 1;

/** People in all filled lines, for the progress. */
export const peopleInLines = (waiting: number): number => lineMixes.length * (waiting + smallLine);

/**
 * The cost of a position with 10,000 people waiting and with a million, in any lane: over HTTP, alternating between
 * two lines on one server, and in the kernel alone.
 */
export function positionsAt(bench: Bench): Promise<Findings> {
  const { waiting } = bench.options;
  const orders = lineMixes.flatMap(({ lanes }, mix) => [
    { queue: `small-${mix}`, waiting: smallLine, lanes },
    { queue: `large-${mix}`, waiting, lanes },
  ]);
  return bench.withOpenseat(
    async (server) => {
      const verdicts: Verdict[] = [];
      const notes: string[] = [];
      for (const [number, mix] of lineMixes.entries()) {
        const found = await measureMix(bench, server, number, mix);
        verdicts.push(found.verdict);
        notes.push(found.note);
      }
      return { rows: [], verdicts, notes };
    },
    (server) => fillLines(bench, server, orders),
  );
}

async function measureMix(bench: Bench, server: Openseat, number: number, mix: LineMix) {
  const { options, progress } = bench;
  const load = bench.httpLoad(server);
  const contender = async (queue: string, waiting: number) => {
    const asked = someOf(queueSeats + 1, waiting, options.placesAskedMax);
    const book = bookOf(await findPlaces(bench, server, queue, asked), addPosition);
    const name = `${mix.name}, ${wholeText(waiting)} waiting`;
    return askingContender({ name, pid: server.pid, load, book, sliceMs: options.lineSliceMs });
  };
  const measured = await alternate(
    [await contender(`small-${number}`, smallLine), await contender(`large-${number}`, options.waiting)],
    { rounds: options.pairs, warmUps: warmUpsOfLines, rerunsMax: options.pairs, progress },
  );
  load.close();
  progress.show(`${mix.name}, in the kernel`);
  const order: KernelOrder = {
    lanes: mix.lanes,
    small: smallLine,
    large: options.waiting,
    rounds: 2 * options.pairs,
  };
  const kernel = await kernelCosts<KernelReport>(kernelProgram, order);
  progress.step();
  const [small, large] = measured.sides;
  const times = ratioSpread(ratesOf(small), ratesOf(large));
  const verdict = {
    what: `a position at ${wholeText(options.waiting)} waiting, to one at ${wholeText(smallLine)}: ${mix.name}`,
    value: times.median,
    measured: `${fixedText(times.median, 2)} ×`,
    target: `≤ ${timesMax} ×`,
    met: times.median <= timesMax,
  };
  const cpuTimes = ratioSpread(cpuUsEach(large), cpuUsEach(small));
  const note =
    `Positions, ${mix.name}: ${fixedText(usEach(small), 1)} µs each over HTTP with ${wholeText(smallLine)} waiting and ` +
    `${fixedText(usEach(large), 1)} µs with ${wholeText(options.waiting)} (${spreadText(times)}; of the server's processor ` +
    `time ${fixedText(cpuTimes.median, 2)} ×; ${rerunText(measured)}). In the kernel alone: the rank ` +
    `${costText(kernel.rank)}, the whole answer ${costText(kernel.place)}.`;
  return { verdict, note };
}
