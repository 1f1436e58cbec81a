import { Players } from "../arenas/players.ts";
import { Bare } from "../bare.ts";
import type { Bench } from "../bench.ts";
import { type Findings, medianOf, rowOf, together, type Verdict } from "../findings.ts";
import { fixedText, rerunText, wholeText } from "../formats.ts";
import type { Openseat } from "../openseat-server.ts";
import type { Options } from "../options.ts";
import { alternate, type Contender, ratesOf, type Side } from "../slices.ts";
import { median, ratioSpread } from "../statistics.ts";
import { warmUps } from "./beside-bare.ts";

const ratioMin = 0.5;
/** Two people play, and eight wait and watch. */
const peoplePerArena = 10;
const pacedShare = 0.2;

export function arenaSteps({ arenas, pairs, pacedPairs }: Options): number {
  return arenas.length * 2 * (warmUps + pairs + pacedPairs);
}

/** Matches in many arenas at once. Every move is shown to ten people, each on their own WebSocket. */
export async function arenas(bench: Bench): Promise<Findings> {
  const found: Findings[] = [];
  for (const count of bench.options.arenas) {
    found.push(await bench.withOpenseat((server) => besideRooms(bench, server, count)));
  }
  return together(found);
}

/** The people on both servers, who stay connected while the other side is measured. */
class Sides {
  readonly openseat: Players;
  readonly bare: Players;
  readonly #server: Openseat;
  readonly #rooms: Bare;
  #bytesEach = 0;

  constructor(server: Openseat, rooms: Bare, openseat: Players, bare: Players) {
    this.#server = server;
    this.#rooms = rooms;
    this.openseat = openseat;
    this.bare = bare;
  }

  /** Bytes sent to each person per move, averaged over Openseat's latest slice. */
  get bytesEach(): number {
    return this.#bytesEach;
  }

  /** Openseat runs first, because its message size sets that of the bare server. */
  contenders(run: (players: Players) => ReturnType<Players["saturate"]>): Contender[] {
    const openseat: Contender = {
      name: "openseat",
      pid: this.#server.pid,
      clientPid: this.openseat.pid,
      prepare() {},
      run: async () => {
        const result = await run(this.openseat);
        this.#bytesEach = result.bytesEach;
        return result;
      },
      logCounters: () => this.#server.logCounters(),
    };
    const bare: Contender = {
      name: "bare",
      pid: this.#rooms.pid,
      clientPid: this.bare.pid,
      prepare: () => this.#rooms.setFrameBytes(Math.round(this.#bytesEach)),
      run: () => run(this.bare),
    };
    return [openseat, bare];
  }
}

async function besideRooms(bench: Bench, server: Openseat, count: number): Promise<Findings> {
  const { progress } = bench;
  const stops: (() => Promise<void>)[] = [];
  try {
    progress.show(`creating ${wholeText(count)} arenas`);
    const names = await server.createArenas(count);
    const rooms = await Bare.startRooms();
    stops.push(() => rooms.stop());
    progress.show(`${wholeText(count * peoplePerArena)} people come in`);
    const tokens = Array.from({ length: count * peoplePerArena }, () => server.crowd.next().token);
    const openseat = await Players.open(server.address, names, peoplePerArena, { arenas: names, tokens });
    stops.push(() => openseat.stop());
    const bare = await Players.open(rooms.address, names, peoplePerArena);
    stops.push(() => bare.stop());
    return await measure(bench, new Sides(server, rooms, openseat, bare), count);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function measure({ options, progress }: Bench, sides: Sides, count: number): Promise<Findings> {
  const { sliceMs, pacedMs, pairs, pacedPairs } = options;
  const full = await alternate(
    sides.contenders((players) => players.saturate(sliceMs)),
    { rounds: pairs, warmUps, rerunsMax: pairs, progress },
  );
  const [openseat, bare] = full.sides;
  const perSecond = median(ratesOf(openseat)) * pacedShare;
  const paced = await alternate(
    sides.contenders((players) => players.pace(perSecond, pacedMs)),
    { rounds: pacedPairs, warmUps: 0, rerunsMax: pacedPairs, progress },
  );
  const title = `${wholeText(count)} arenas`;
  const row = rowOf(title, full, bare, openseat);
  return {
    rows: [row],
    verdicts: [
      verdictOf(`moves in ${title}, to bare`, row.ratio.median),
      verdictOf(
        `p99 of a move in ${title}, bare to openseat`,
        ratioSpread(p99Ms(bare), p99Ms(openseat)).median,
      ),
    ],
    notes: [
      `${title}, ${wholeText(count * peoplePerArena)} WebSockets, beside a bare ws server: both send a move to ` +
        `${peoplePerArena} people with ${wholeText(sides.bytesEach)} bytes each. At full speed everyone had seen it after ${timesText(openseat)}, ` +
        `bare ${timesText(bare)}. At ${wholeText(perSecond)} moves/s, a fifth of our peak, after ` +
        `${timesText(paced.sides[0])}, bare ${timesText(paced.sides[1])} (${rerunText(paced)}).`,
    ],
  };
}

function verdictOf(what: string, value: number): Verdict {
  return { what, value, measured: value.toFixed(2), target: `≥ ${ratioMin}`, met: value >= ratioMin };
}

const p99Ms = (side: Side): number[] => side.slices.map(({ latency }) => latency.percentileUs(0.99) / 1000);

function timesText(side: Side): string {
  const ms = (share: number): string =>
    fixedText(
      medianOf(side, ({ latency }) => latency.percentileUs(share) / 1000),
      1,
    );
  return `p50 ${ms(0.5)} ms and p99 ${ms(0.99)} ms`;
}
