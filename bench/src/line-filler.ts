// Fills lines in a data folder, in its own process, whose memory is freed when it exits.
import { type QueueCommand, type QueueEvent, type QueueRoom, queueDecider } from "@openseat/kernel";
import { Host, SqliteLog, systemClock } from "@openseat/server";
import type { FillReport } from "./filling.ts";
import { fillLine, type LineOrder } from "./line-filling.ts";

export type FillOrder = { readonly folder: string; readonly lines: readonly LineOrder[] };

const tell = (report: FillReport): void => void process.send?.(report);

process.once("message", ({ folder, lines }: FillOrder) => {
  fill(folder, lines).then(
    () => tell({ done: true }),
    (error: Error) => tell({ error: error.message }),
  );
});

async function fill(folder: string, orders: readonly LineOrder[]): Promise<void> {
  const log = await SqliteLog.open(folder);
  const host = new Host({ log, clock: systemClock, deciders: { queue: queueDecider } });
  host.start();
  const lines = host.streams<QueueRoom, QueueCommand, QueueEvent>("queue");
  let before = 0;
  for (const order of orders) {
    let entered = 0;
    await fillLine(lines, order, (count) => {
      entered = count;
      tell({ entered: before + count });
    });
    before += entered;
  }
  await host.stop();
}

// A benchmark that is killed cannot stop its children, so they exit when the channel closes.
process.on("disconnect", () => process.exit());
