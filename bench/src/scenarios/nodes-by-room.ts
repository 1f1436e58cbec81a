import type { Bench } from "../bench.ts";
import { cpuUsEach, type Findings } from "../findings.ts";
import { fixedText, rerunText } from "../formats.ts";
import { fleetContender } from "../nodes/join-contenders.ts";
import { sideText } from "../nodes/side-text.ts";
import { nodesText, type Stage } from "../nodes/stage.ts";
import type { Options } from "../options.ts";
import { alternate, type Side } from "../slices.ts";
import { ratioSpread } from "../statistics.ts";
import { atLeast, inTurn, ratio, roomCount, warmUpsOfNodes } from "./nodes-joins.ts";

/** One node, and the largest fleet without and with affinity. */
const contenderCount = 3;
/** The minimum throughput of the largest fleet with affinity, relative to one node. */
const affinityMin = 0.85;
/** The maximum processor time of a join there, relative to one node. */
const affinityCpuMax = 1.2;

export function byRoomSteps({ pairs }: Options): number {
  return contenderCount * (pairs + warmUpsOfNodes);
}

/** Joins into 200 games whose requests a load balancer sends to the node of their room. */
export async function nodesByRoom({ options, progress }: Bench, stage: Stage): Promise<Findings> {
  const { connections, sliceMs, pairs } = options;
  const { fleets } = stage;
  const last = fleets.length - 1;
  const [one, most] = [fleets[0].server, fleets[last].server];
  const gamesOfOne = inTurn(await one.first.createGames(roomCount));
  const gamesOfMost = inTurn(await most.first.createGames(roomCount));
  const gamesByRoom = inTurn(await most.first.createGames(roomCount));
  const name = nodesText(most.nodes.length);
  const loads = [one.load(connections), most.load(connections), most.loadByRoom(connections)] as const;
  const rounds = await alternate(
    [
      fleetContender(stage, 0, sliceMs, { name: nodesText(1), load: loads[0], games: gamesOfOne }),
      fleetContender(stage, last, sliceMs, { name, load: loads[1], games: gamesOfMost }),
      fleetContender(stage, last, sliceMs, { name: `${name} by room`, load: loads[2], games: gamesByRoom }),
    ],
    { rounds: pairs, warmUps: warmUpsOfNodes, rerunsMax: 2 * pairs, progress },
  );
  for (const load of loads) load.close();
  const [single, spread, byRoom] = rounds.sides;
  const cpu = cpuRatio(byRoom, single);
  const text = rounds.sides.map((side) => `${side.name} ${sideText(side)}`).join("; ");
  return {
    rows: [],
    verdicts: [
      atLeast(`${roomCount} games on ${name} by room, to one node`, ratio(byRoom, single), affinityMin, 2),
      {
        what: `processor time of a join there, to one node`,
        value: cpu,
        measured: `${fixedText(cpu, 2)} ×`,
        target: `≤ ${affinityCpuMax} ×`,
        met: cpu <= affinityCpuMax,
      },
    ],
    notes: [
      `Room affinity, ${roomCount} games: ${text} (${rerunText(rounds)}). To one node: by room ` +
        `${fixedText(ratio(byRoom, single), 2)} ×, otherwise ${fixedText(ratio(spread, single), 2)} ×.`,
    ],
  };
}

function cpuRatio(side: Side, other: Side): number {
  return ratioSpread(cpuUsEach(side), cpuUsEach(other)).median;
}
