import type { Bench } from "../bench.ts";
import type { ChooseGames } from "../contenders.ts";
import { HttpLoad } from "../http-load.ts";
import type { Openseat } from "../openseat-server.ts";
import type { Contender } from "../slices.ts";
import type { ByRoomLoad } from "./by-room-load.ts";
import { joiningContender } from "./joining.ts";
import type { SpreadLoad } from "./spread-load.ts";
import { fleetSizes, nodesText, type Stage } from "./stage.ts";
import { type Way, ways } from "./textbook.ts";
import type { Textbook } from "./textbook-program.ts";

/** Estimated joins per second for the first slice. */
const firstGuesses = { openseat: 25_000, textbook: 5_000 };
/** Pool sizes tried to find the best one for the textbook. */
export const poolsTried = [2, 4, 8, 16, 32];
const smallConnections = 16;
export const textbookWays = Object.keys(ways) as readonly Way[];

/** The rooms to join, on each kind of server. */
export type Rooms = {
  readonly ofOpenseat: (server: Openseat) => Promise<ChooseGames> | ChooseGames;
  readonly ofTextbook: (server: Textbook) => Promise<ChooseGames> | ChooseGames;
};

/** A contender, and its acknowledged joins so far. */
type Counted = { readonly contender: Contender; readonly joined: () => number };

type OfFleet = { readonly load: SpreadLoad | ByRoomLoad; readonly games: ChooseGames };

/** All contenders, and the best pool size for each way of the textbook. */
export type JoinContenders = {
  readonly alone: Contender;
  readonly fleets: readonly Counted[];
  /** One node with few connections and therefore small commits, which shows the cost of a commit per join. */
  readonly small: Contender;
  readonly textbooks: readonly Counted[];
  readonly pools: ReadonlyMap<Way, number>;
  close(): void;
};

export async function joinContenders(bench: Bench, stage: Stage, rooms: Rooms): Promise<JoinContenders> {
  const { sliceMs, connections } = bench.options;
  const { alone, fleets, textbook } = stage;
  const aloneLoad = bench.httpLoad(alone.server);
  const textbookLoad = new HttpLoad(textbook.server.address, connections);
  const ofAlone = joiningContender({
    ...{ name: "SQLite", ...alone, sliceMs, load: aloneLoad, pids: [alone.server.pid] },
    firstGuessPerSecond: firstGuesses.openseat,
    games: await rooms.ofOpenseat(alone.server),
    logCounters: () => alone.server.logCounters(),
  });
  const ofFleets = await fleetContenders(bench, stage, rooms, connections);
  const smallLoad = fleets[0].server.load(smallConnections);
  const ofSmall = fleetContender(stage, 0, sliceMs, {
    name: `1 node, ${smallConnections} connections`,
    load: smallLoad,
    games: ofFleets[0].games,
  });
  const pools = new Map<Way, number>();
  const ofTextbooks: Counted[] = [];
  for (const way of textbookWays) {
    const contender = joiningContender({
      ...{ name: `textbook ${way}`, ...textbook, sliceMs, load: textbookLoad, pids: [textbook.server.pid] },
      firstGuessPerSecond: firstGuesses.textbook,
      games: await rooms.ofTextbook(textbook.server),
      beforeSlice: () => textbook.server.choose(way, pools.get(way)!),
    });
    await findBestPool(bench, way, pools, contender);
    ofTextbooks.push({ contender, joined: () => textbook.ledger.count });
  }
  const close = (): void => {
    for (const load of [aloneLoad, ...ofFleets.map(({ load }) => load), smallLoad, textbookLoad])
      load.close();
  };
  return { alone: ofAlone, fleets: ofFleets, small: ofSmall, textbooks: ofTextbooks, pools, close };
}

/** One, two and three nodes, with the same total number of connections. */
export async function fleetContenders(
  { options }: Bench,
  stage: Stage,
  rooms: Pick<Rooms, "ofOpenseat">,
  connections: number,
): Promise<(Counted & OfFleet)[]> {
  const made: (Counted & OfFleet)[] = [];
  for (const [index, { server, ledger }] of stage.fleets.entries()) {
    const own = { load: server.load(connections), games: await rooms.ofOpenseat(server.first) };
    const name = nodesText(fleetSizes[index]);
    const contender = fleetContender(stage, index, options.sliceMs, { name, ...own });
    made.push({ contender, ...own, joined: () => ledger.count });
  }
  return made;
}

export function fleetContender(
  { fleets, textbook }: Stage,
  index: number,
  sliceMs: number,
  own: OfFleet & { readonly name: string },
): Contender {
  const fleet = fleets[index];
  return joiningContender({
    ...{ ...own, ...fleet, sliceMs, firstGuessPerSecond: firstGuesses.openseat },
    pids: [...fleet.server.pids, textbook.server.pid],
    logCounters: () => fleet.server.logCounters(),
  });
}

/** The pool size with the highest throughput: users of PostgreSQL would tune it too. */
async function findBestPool(
  { progress }: Bench,
  way: Way,
  pools: Map<Way, number>,
  contender: Contender,
): Promise<void> {
  const rates = new Map<number, number>();
  for (const connections of poolsTried) {
    progress.show(`${contender.name} with ${connections} connections`);
    pools.set(way, connections);
    await contender.prepare();
    const { answered, elapsedMs } = await contender.run();
    rates.set(connections, answered / elapsedMs);
    progress.step();
  }
  pools.set(way, poolsTried.toSorted((one, other) => rates.get(other)! - rates.get(one)!)[0]);
}
