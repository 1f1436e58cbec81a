import type { Bench } from "../bench.ts";
import { writeBook } from "../contenders.ts";
import { cpuUsEach, type Findings, medianOf } from "../findings.ts";
import { fixedText, percentText, rerunText, wholeText } from "../formats.ts";
import type { LargeGame } from "../large-game.ts";
import { RequestBook } from "../request-book.ts";
import { addWsJoin } from "../requests.ts";
import { alternate, type Contender, ratesOf, type Side } from "../slices.ts";
import { ratioSpread } from "../statistics.ts";
import { warmUps } from "./beside-bare.ts";

const timesMax = 1.3;
const seatsMax = 1_000_000;
const roundsMax = 15;
// Each repeated slice uses up seats of the large game.
const rerunsMax = 3;
const joinsPerSliceMax = 10_000;
const smallParticipants = 1_000;
// More joins would turn the small game into a large one.
const joinsPerSmallGame = 2_000;
const sliceMsMax = 60_000;

export const growthRounds = (pairs: number): number => Math.min(pairs, roundsMax);

/**
 * The time of a join into a game of 1,000 and into one of a million participants, alternately. WebSocket adds less
 * transport time than HTTP, so growth shows more. A game holds at most 1,000,000 people, so slices have a fixed
 * number of joins that all fit into the large game.
 */
export async function growth(bench: Bench, large: LargeGame): Promise<Findings> {
  const { server } = large;
  const rounds = growthRounds(bench.options.pairs);
  const slicesMax = rounds + rerunsMax + warmUps;
  const count = Math.min(joinsPerSliceMax, Math.floor((seatsMax - large.participants) / slicesMax));
  const load = bench.wsLoad(server);

  const contender = (name: string, chooseGames: () => Promise<(join: number) => string>): Contender => {
    const book = new RequestBook();
    return {
      name,
      pid: server.pid,
      async prepare() {
        await writeBook(book, count, addWsJoin, server.crowd, chooseGames);
        large.joins += count;
      },
      run: () => load.saturate(book, sliceMsMax),
    };
  };
  const smallGames = async () => {
    const ids = await server.createGames(Math.ceil(count / joinsPerSmallGame));
    for (const id of ids) await large.join(id, smallParticipants);
    return (join: number) => ids[Math.floor(join / joinsPerSmallGame)];
  };
  const largeGame = async () => () => large.game;

  const measured = await alternate(
    [contender("joins into small games", smallGames), contender("joins into the large game", largeGame)],
    { rounds, warmUps, rerunsMax, progress: bench.progress },
  );
  load.close();

  const [small, big] = measured.sides;
  const times = ratioSpread(ratesOf(small), ratesOf(big));
  const cpuTimes = ratioSpread(cpuUsEach(big), cpuUsEach(small));
  const verdict = {
    what: `a join at ${wholeText(large.participants)} participants, to one at ${wholeText(smallParticipants)}`,
    value: times.median,
    measured: `${fixedText(times.median, 2)} ×`,
    target: `≤ ${timesMax} ×`,
    met: times.median <= timesMax,
  };
  const note =
    `Growth: ${fixedText(usPerJoin(small), 1)} µs per join into games of ${wholeText(smallParticipants)} to ` +
    `${wholeText(smallParticipants + joinsPerSmallGame)} participants and ${fixedText(usPerJoin(big), 1)} µs into one of ` +
    `${wholeText(large.participants)} and more, over WebSocket in slices of ${wholeText(count)} joins (quartiles of the ` +
    `ratio ${fixedText(times.lower, 2)}–${fixedText(times.upper, 2)}; of the server's processor time ` +
    `${fixedText(cpuTimes.median, 2)} ×; client busy ${percentText(medianOf(big, ({ usage }) => usage.client))}; ` +
    `${rerunText(measured)}).`;
  return { rows: [], verdicts: [verdict], notes: [note] };
}

function usPerJoin(side: Side): number {
  return medianOf(side, (slice) => 1e6 / slice.perSecond);
}
