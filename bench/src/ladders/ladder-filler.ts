// Fills ladders in a data folder, in its own process, whose memory is freed when it exits.
import { type Ladder, type LadderCommand, type LadderEvent, ladderDecider } from "@openseat/kernel";
import { Host, SqliteLog, systemClock } from "@openseat/server";
import type { FillReport } from "../filling.ts";
import { fillLadder, type LadderOrder } from "./ladder-filling.ts";

export type LaddersOrder = { readonly folder: string; readonly ladders: readonly LadderOrder[] };

const tell = (report: FillReport): void => void process.send?.(report);

process.once("message", ({ folder, ladders }: LaddersOrder) => {
  fill(folder, ladders).then(
    () => tell({ done: true }),
    (error: Error) => tell({ error: error.message }),
  );
});

async function fill(folder: string, orders: readonly LadderOrder[]): Promise<void> {
  const log = await SqliteLog.open(folder);
  const host = new Host({ log, clock: systemClock, deciders: { ladder: ladderDecider } });
  host.start();
  const ladders = host.streams<Ladder, LadderCommand, LadderEvent>("ladder");
  let before = 0;
  for (const order of orders) {
    await fillLadder(ladders, order, (count) => tell({ entered: before + count }));
    before += order.players;
  }
  await host.stop();
}

// A benchmark that is killed cannot stop its children, so they exit when the channel closes.
process.on("disconnect", () => process.exit());
