import type { Bench } from "../bench.ts";
import { type Findings, together } from "../findings.ts";
import { idleText, journeysText, storedText } from "../nodes/database-costs.ts";
import { Stage } from "../nodes/stage.ts";
import type { Options } from "../options.ts";
import { byRoomSteps, nodesByRoom } from "./nodes-by-room.ts";
import { crowdSteps, joinSteps, nodesCrowd, nodesHot, nodesMany } from "./nodes-joins.ts";
import { nodesPositions, positionSteps } from "./nodes-positions.ts";

export function nodesSteps(options: Options): number {
  return 2 * joinSteps(options) + crowdSteps(options) + byRoomSteps(options) + positionSteps(options);
}

/** One, two and three nodes on one PostgreSQL: a hot game, many games, and positions. */
export function nodes(bench: Bench): Promise<Findings> {
  return Stage.with(bench, async (stage) => {
    const found = [await nodesHot(bench, stage)];
    const stored = await storedText(stage);
    for (const measure of [nodesCrowd, nodesMany, nodesByRoom, nodesPositions])
      found.push(await measure(bench, stage));
    const totals = await stage.textbook.server.totals();
    const note =
      `PostgreSQL ${totals.version} with fsync ${totals.fsync} and synchronous_commit ${totals.synchronousCommit}; ` +
      `nodes, textbook and client on the same processors. In a hot game ${stored}; ${await idleText(stage)}; ` +
      `${await journeysText(stage)}.`;
    return together([...found, { rows: [], verdicts: await stage.verdicts(totals), notes: [note] }]);
  });
}
