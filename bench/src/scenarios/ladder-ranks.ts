import { fileURLToPath } from "node:url";
import type { Bench } from "../bench.ts";
import { askingContender } from "../contenders.ts";
import { fill } from "../filling.ts";
import { cpuUsEach, type Findings, type Verdict } from "../findings.ts";
import { fixedText, rerunText, wholeText } from "../formats.ts";
import type { RanksOrder, RanksReport } from "../ladders/kernel-ranks.ts";
import type { LaddersOrder } from "../ladders/ladder-filler.ts";
import { playerRequests, playersPerPage, standingsRequests } from "../ladders/ladder-requests.ts";
import type { Openseat } from "../openseat-server.ts";
import { someOf } from "../placed-people.ts";
import type { RequestBook } from "../request-book.ts";
import { costText, kernelCosts, spreadText, usEach } from "../size-costs.ts";
import { alternate, type Rounds, ratesOf } from "../slices.ts";
import { ratioSpread } from "../statistics.ts";

const fillProgram = fileURLToPath(new URL("../ladders/ladder-filler.ts", import.meta.url));
const kernelProgram = fileURLToPath(new URL("../ladders/kernel-ranks.ts", import.meta.url));
const timesMax = 1.5;
const smallLadder = 1_000;
export const warmUpsOfLadders = 1;

/** Players on all filled ladders, for the progress. */
export const playersOnLadders = (players: number): number => players + smallLadder;

type Asked = {
  readonly what: string;
  /** The highest valid number to ask for, starting from 1. */
  readonly countOf: (players: number) => number;
  readonly bookOf: (ladder: string, numbers: Iterable<number>) => RequestBook;
};
const player: Asked = {
  what: "a player with their rank",
  countOf: (players) => players,
  bookOf: playerRequests,
};
const page: Asked = {
  what: `a page of ${playersPerPage} of the standings`,
  // Only full pages: short pages, which a short ladder would have more often, are cheaper.
  countOf: (players) => players - playersPerPage + 1,
  bookOf: standingsRequests,
};

/**
 * The cost of a rank and of a page of the standings with 1,000 players and with a million: over HTTP, alternating
 * between two ladders on one server, and in the kernel alone.
 */
export function ladderRanks(bench: Bench): Promise<Findings> {
  const { progress, options } = bench;
  const large = options.waiting;
  return bench.withOpenseat(
    async (server) => {
      const players = await measure(bench, server, player);
      const pages = await measure(bench, server, page);
      progress.show("ranks in the kernel");
      const order: RanksOrder = { small: smallLadder, large, rounds: 2 * options.pairs };
      const kernel = await kernelCosts<RanksReport>(kernelProgram, order);
      progress.step();
      const note =
        `${noteOf(player, players, large)} ${noteOf(page, pages, large)} ` +
        `In the kernel alone: a rank ${costText(kernel.rank)}, a page ${costText(kernel.page)}.`;
      const verdicts = [verdictOf(player, players, large), verdictOf(page, pages, large)];
      return { rows: [], verdicts, notes: [note] };
    },
    (server) => {
      const ladders = [
        { ladder: "small", players: smallLadder },
        { ladder: "large", players: large },
      ];
      const order: LaddersOrder = { folder: server.folder, ladders };
      return fill(progress, {
        ...{ program: fillProgram, order, people: playersOnLadders(large), what: "ladders" },
      });
    },
  );
}

async function measure(bench: Bench, server: Openseat, { what, countOf, bookOf }: Asked): Promise<Rounds> {
  const { options, progress } = bench;
  const load = bench.httpLoad(server);
  const contender = (ladder: string, players: number) => {
    const book = bookOf(ladder, someOf(1, countOf(players), options.placesAskedMax));
    const name = `${what}, of ${wholeText(players)}`;
    return askingContender({ name, pid: server.pid, load, book, sliceMs: options.lineSliceMs });
  };
  const rounds = await alternate([contender("small", smallLadder), contender("large", options.waiting)], {
    ...{ rounds: options.pairs, warmUps: warmUpsOfLadders, rerunsMax: options.pairs, progress },
  });
  load.close();
  return rounds;
}

function timesOf({ sides: [small, large] }: Rounds) {
  return ratioSpread(ratesOf(small), ratesOf(large));
}

function verdictOf({ what }: Asked, rounds: Rounds, players: number): Verdict {
  const times = timesOf(rounds).median;
  return {
    what: `${what}, of ${wholeText(players)} to of ${wholeText(smallLadder)}`,
    value: times,
    measured: `${fixedText(times, 2)} ×`,
    target: `≤ ${timesMax} ×`,
    met: times <= timesMax,
  };
}

function noteOf({ what }: Asked, rounds: Rounds, players: number): string {
  const [small, large] = rounds.sides;
  const cpuTimes = ratioSpread(cpuUsEach(large), cpuUsEach(small)).median;
  return (
    `Ladder, ${what}: ${fixedText(usEach(small), 1)} µs each over HTTP of ${wholeText(smallLadder)} players and ` +
    `${fixedText(usEach(large), 1)} µs of ${wholeText(players)} (${spreadText(timesOf(rounds))}; of the server's ` +
    `processor time ${fixedText(cpuTimes, 2)} ×; ${rerunText(rounds)}).`
  );
}
