import type { Bench } from "../bench.ts";
import { askingContender, hotGame, hotQueue, openseatContender } from "../contenders.ts";
import { cpuUsEach, type Findings, type Row, rowOf, type Verdict } from "../findings.ts";
import { fixedText, tableText, wholeText } from "../formats.ts";
import type { Openseat } from "../openseat-server.ts";
import type { Options, ScenarioName } from "../options.ts";
import { bookOf, findPlaces, someOf } from "../placed-people.ts";
import {
  addCanJoin,
  addEnter,
  addEnterWithoutKey,
  addHeartbeat,
  addJoin,
  addPosition,
  addWsJoin,
} from "../requests.ts";
import { alternate, type Contender, type Rounds } from "../slices.ts";
import { ratioSpread } from "../statistics.ts";
import { warmUps } from "./beside-bare.ts";

const ratioMin = 0.95;
const gameCount = 1_000;

type Side = { readonly contender: Contender; close(): void };
type Measured = {
  readonly scenario: ScenarioName;
  readonly title: string;
  readonly side: (bench: Bench, server: Openseat) => Promise<Side>;
};

/** Requests that an older version understands too. */
const measured: readonly Measured[] = [
  {
    scenario: "hot",
    title: "hot game",
    side: (bench, server) => writing(bench, server, addJoin, hotGame(server)),
  },
  { scenario: "many", title: "1,000 games", side: manyGames },
  { scenario: "can-join", title: "can-join", side: canJoin },
  { scenario: "ws", title: "hot game, WebSocket", side: overWebSocket },
  {
    scenario: "enter",
    title: "enter",
    side: (bench, server) => writing(bench, server, addEnter, hotQueue(server)),
  },
  {
    scenario: "enter",
    title: "enter, no key",
    side: (bench, server) => writing(bench, server, addEnterWithoutKey, hotQueue(server)),
  },
  { scenario: "position", title: "position", side: (bench, server) => asking(bench, server, addPosition) },
  { scenario: "heartbeat", title: "heartbeat", side: (bench, server) => asking(bench, server, addHeartbeat) },
];

/** The number of slices, for the progress. */
export function versionSteps({ only, pairs }: Options): number {
  return 2 * (warmUps + pairs) * measured.filter(({ scenario }) => only.has(scenario)).length;
}

/**
 * Alternates slices of another version of the server and this one, so that disturbances affect both. Separate runs
 * against the bare server would differ by more than the versions do.
 */
export async function versions(bench: Bench, before: string): Promise<Findings> {
  const wanted = measured.filter(({ scenario }) => bench.options.only.has(scenario));
  const found: { readonly row: Row; readonly cpu: number }[] = [];
  for (const { title, side } of wanted) {
    bench.progress.begin(title);
    const rounds = await bench.withOpenseat(
      (older) => bench.withOpenseat((newer) => inTurn(bench, side, [older, newer])),
      undefined,
      before,
    );
    const [older, newer] = rounds.sides;
    found.push({
      row: rowOf(title, rounds, older, newer),
      cpu: ratioSpread(cpuUsEach(older), cpuUsEach(newer)).median,
    });
  }
  return {
    rows: [],
    verdicts: found.map(({ row }) => verdictOf(row)),
    notes: [tableText([head, ...found.map(({ row, cpu }) => cellsOf(row, cpu))])],
  };
}

const head = [
  "scenario",
  "before/s",
  "now/s",
  "ratio",
  "quartiles",
  "µs before",
  "µs now",
  "cpu ratio",
  "re-run",
];

function cellsOf(row: Row, cpu: number): string[] {
  return [
    row.scenario,
    wholeText(row.barePerSecond),
    wholeText(row.openseatPerSecond),
    fixedText(row.ratio.median, 2),
    `${fixedText(row.ratio.lower, 2)}–${fixedText(row.ratio.upper, 2)}`,
    fixedText(row.cpuUs.bare, 1),
    fixedText(row.cpuUs.openseat, 1),
    fixedText(cpu, 2),
    row.disturbed === 0 ? String(row.rerun) : `${row.rerun} (${row.disturbed} kept)`,
  ];
}

function verdictOf({ scenario, ratio: { median } }: Row): Verdict {
  return {
    what: `${scenario}, to the other version`,
    value: median,
    measured: fixedText(median, 2),
    target: `≥ ${ratioMin}`,
    met: median >= ratioMin,
  };
}

async function inTurn(bench: Bench, side: Measured["side"], servers: readonly Openseat[]): Promise<Rounds> {
  const sides: Side[] = [];
  for (const server of servers) sides.push(await side(bench, server));
  const { pairs } = bench.options;
  const plan = { rounds: pairs, warmUps, rerunsMax: pairs, progress: bench.progress };
  const rounds = await alternate(
    sides.map(({ contender }) => contender),
    plan,
  );
  for (const { close } of sides) close();
  return rounds;
}

type Writing = Parameters<typeof openseatContender>[0];

async function writing(
  bench: Bench,
  server: Openseat,
  add: Writing["add"],
  games: Writing["games"],
): Promise<Side> {
  const load = bench.httpLoad(server);
  const { sliceMs } = bench.options;
  const contender = openseatContender({ name: "openseat", server, load, add, games, sliceMs });
  return { contender, close: () => load.close() };
}

async function manyGames(bench: Bench, server: Openseat): Promise<Side> {
  const ids = await server.createGames(gameCount);
  return writing(bench, server, addJoin, async () => (request) => ids[request % gameCount]);
}

async function canJoin(bench: Bench, server: Openseat): Promise<Side> {
  const game = await server.createGame("The watched game");
  return writing(bench, server, addCanJoin, async () => () => game);
}

async function overWebSocket(bench: Bench, server: Openseat): Promise<Side> {
  const load = bench.wsLoad(server);
  const { sliceMs } = bench.options;
  const contender = openseatContender({
    ...{ name: "openseat", server, load, sliceMs },
    ...{ add: addWsJoin, games: hotGame(server) },
  });
  return { contender, close: () => load.close() };
}

async function asking(bench: Bench, server: Openseat, add: Parameters<typeof bookOf>[1]): Promise<Side> {
  const { sliceMs, waitingAtFirst } = bench.options;
  const queue = await server.createQueue();
  const placed = await findPlaces(bench, server, queue, someOf(1, waitingAtFirst, waitingAtFirst));
  const load = bench.httpLoad(server);
  const book = bookOf(placed, add);
  const contender = askingContender({ name: "openseat", pid: server.pid, load, book, sliceMs });
  return { contender, close: () => load.close() };
}
