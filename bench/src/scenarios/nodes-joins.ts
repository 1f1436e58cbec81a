import type { Bench } from "../bench.ts";
import { bareContender, type ChooseGames, hotGame, hotRoom } from "../contenders.ts";
import { cpuUsEach, type Findings, medianOf, rowOf, type Verdict } from "../findings.ts";
import { fixedText, rerunText, wholeText } from "../formats.ts";
import { commitModelOf, predictedUs } from "../nodes/commit-model.ts";
import { walBytesEach, walSlices } from "../nodes/database-costs.ts";
import {
  fleetContenders,
  joinContenders,
  poolsTried,
  type Rooms,
  textbookWays,
} from "../nodes/join-contenders.ts";
import { sideText } from "../nodes/side-text.ts";
import { fleetSizes, type Stage } from "../nodes/stage.ts";
import type { Way } from "../nodes/textbook.ts";
import type { Options } from "../options.ts";
import { alternate, type Rounds, ratesOf, type Side } from "../slices.ts";
import { median, ratioSpread } from "../statistics.ts";

export const warmUpsOfNodes = 1;
const seatsMax = 1_000_000;
export const roomCount = 200;
const crowdTimes = 3;
/** The minimum throughput of two and three nodes in one hot game, relative to one node. */
const sharedMin = 0.8;
const textbookTimesMin: Readonly<Record<Way, number>> = { transaction: 8, statement: 4 };

export function joinSteps({ pairs }: Options): number {
  const tries = textbookWays.length * poolsTried.length;
  return tries + (3 + fleetSizes.length + textbookWays.length) * (pairs + warmUpsOfNodes) + 3 * walSlices;
}

/** Joins into one game of 1,000,000 seats. */
export async function nodesHot(bench: Bench, stage: Stage): Promise<Findings> {
  const measured = await measure(bench, stage, {
    ofOpenseat: hotGame,
    ofTextbook: (server) => hotRoom(async () => (await server.createGames(1))[0], seatsMax),
  });
  const findings = findingsOf("hot game", measured);
  return {
    ...findings,
    verdicts: verdictsOf(measured, bench.options.connections),
    notes: [...findings.notes, modelText(measured)],
  };
}

/** Like the hot game, with three times the connections: each of three nodes has as many as the single one had. */
export async function nodesCrowd(bench: Bench, stage: Stage): Promise<Findings> {
  const { options, progress } = bench;
  const connections = crowdTimes * options.connections;
  const all = await fleetContenders(bench, stage, { ofOpenseat: hotGame }, connections);
  const rounds = await alternate(
    all.map(({ contender }) => contender),
    { rounds: options.pairs, warmUps: warmUpsOfNodes, rerunsMax: options.pairs, progress },
  );
  for (const { load } of all) load.close();
  const { sides } = rounds;
  const note =
    `Nodes, hot game with ${connections} connections: ` +
    `${sides.map((side) => `${side.name} ${sideText(side)}`).join("; ")} (${rerunText(rounds)}).`;
  return { rows: [], verdicts: sharedVerdicts(`${connections} connections`, sides), notes: [note] };
}

export const crowdSteps = ({ pairs }: Options): number => fleetSizes.length * (pairs + warmUpsOfNodes);

/** Joins into 200 games in rotation. */
export async function nodesMany(bench: Bench, stage: Stage): Promise<Findings> {
  const measured = await measure(bench, stage, {
    ofOpenseat: async (server) => inTurn(await server.createGames(roomCount)),
    ofTextbook: async (server) => inTurn(await server.createGames(roomCount)),
  });
  return findingsOf(`${roomCount} games`, measured);
}

export function inTurn(ids: readonly string[]): ChooseGames {
  return async () => (request) => ids[request % ids.length];
}

type Measured = {
  readonly rounds: Rounds;
  readonly bare: Side;
  readonly alone: Side;
  readonly fleets: readonly Side[];
  readonly small: Side;
  readonly textbooks: readonly Side[];
  readonly pools: ReadonlyMap<Way, number>;
  /** WAL bytes per join: one node, the largest fleet, and the textbook's last way. */
  readonly walBytes: readonly number[];
};

async function measure(bench: Bench, stage: Stage, rooms: Rooms): Promise<Measured> {
  const { options, progress, bare, bareLoad, bareRequests } = bench;
  const { sliceMs, pairs } = options;
  const { alone, fleets, small, textbooks, pools, close } = await joinContenders(bench, stage, rooms);
  const ours = fleets.map(({ contender }) => contender);
  const theirs = textbooks.map(({ contender }) => contender);
  const rounds = await alternate(
    [bareContender(bare, bareLoad, bareRequests, sliceMs), alone, ...ours, small, ...theirs],
    { rounds: pairs, warmUps: warmUpsOfNodes, rerunsMax: 2 * pairs, progress },
  );
  const walBytes: number[] = [];
  for (const { contender, joined } of [fleets[0], fleets.at(-1)!, textbooks.at(-1)!]) {
    progress.show(`${contender.name}, WAL size`);
    walBytes.push(await walBytesEach(stage, contender, joined));
    progress.step(walSlices);
  }
  close();
  const [bareSide, aloneSide, ...sides] = rounds.sides;
  return {
    ...{ rounds, pools, walBytes, bare: bareSide, alone: aloneSide, small: sides[fleets.length] },
    fleets: sides.slice(0, fleets.length),
    textbooks: sides.slice(fleets.length + 1),
  };
}

function findingsOf(name: string, measured: Measured): Findings {
  const { rounds, bare, alone, fleets, small, textbooks, pools, walBytes } = measured;
  const timesOf = (sides: readonly Side[], other: Side): string =>
    sides.map((side) => `${side.name} ${fixedText(ratio(side, other), 2)} ×`).join(", ");
  const ours = [alone, ...fleets, small].map((side) => `${side.name} ${sideText(side)}`);
  const theirs = textbooks.map(
    (side, index) =>
      `${side.name} ${sideText(side)}, ${fixedText(ratio(side, bare), 3)} of bare, with ` +
      `${pools.get(textbookWays[index])} connections, the best of ${poolsTried.join(", ")}`,
  );
  const note =
    `Nodes, ${name}: ${[...ours, ...theirs].join("; ")}. To SQLite: ${timesOf(fleets, alone)}. ` +
    `To one node: ${timesOf(fleets.slice(1), fleets[0])}. WAL per join: ${wholeText(walBytes[0])} bytes on one node, ` +
    `${wholeText(walBytes[1])} on ${fleets.at(-1)!.name}, ${wholeText(walBytes[2])} with the ${textbooks.at(-1)!.name}.`;
  const rows = [alone, ...fleets].map((side) => rowOf(`${name}, ${side.name}`, rounds, bare, side));
  return { rows, verdicts: [], notes: [note] };
}

/** The commit model's prediction for the largest fleet, derived from one and two nodes. */
function modelText({ fleets, small }: Measured): string {
  const costOf = (side: Side) => ({
    usEach: median(cpuUsEach(side)),
    joinsPerCommit: medianOf(side, ({ joinsPerFlush }) => joinsPerFlush),
  });
  const [one, two] = fleets;
  const most = costOf(fleets.at(-1)!);
  const model = commitModelOf(costOf(one), costOf(small), costOf(two));
  const us = (value: number): string => `${fixedText(value, 0)} µs`;
  return (
    `Model, from one node with commits of ${fixedText(costOf(one).joinsPerCommit, 0)} and of ${fixedText(costOf(small).joinsPerCommit, 0)} ` +
    `joins and from two nodes: a join ${us(model.joinUs)} of processor time, a commit ${us(model.commitUs)}, following a join on another ` +
    `node ${us(model.followUs)}. So a join on ${fleets.at(-1)!.name} with ${fixedText(most.joinsPerCommit, 0)} per commit: predicted ` +
    `${us(predictedUs(model, fleets.length, most.joinsPerCommit))}, measured ${us(most.usEach)}.`
  );
}

function verdictsOf({ fleets, textbooks }: Measured, connections: number): Verdict[] {
  const times = textbooks.map((side, index) =>
    atLeast(
      `one hot game on 1 node, to the ${side.name}`,
      ratio(fleets[0], side),
      textbookTimesMin[textbookWays[index]],
      1,
    ),
  );
  return [...sharedVerdicts(`${connections} connections`, fleets), ...times];
}

function sharedVerdicts(how: string, [one, ...more]: readonly Side[]): Verdict[] {
  return more.map((side) =>
    atLeast(`one hot game on ${side.name}, ${how}, to one node`, ratio(side, one), sharedMin, 2),
  );
}

export function atLeast(what: string, value: number, min: number, digits: number): Verdict {
  return { what, value, measured: `${fixedText(value, digits)} ×`, target: `≥ ${min} ×`, met: value >= min };
}

export const ratio = (side: Side, other: Side): number => ratioSpread(ratesOf(side), ratesOf(other)).median;
