// Everyone in the arenas of one server, in a separate process, because one process may not open twice as many
// sockets.
import { type Address, LoadError } from "../load.ts";
import { ArenaLoad, type ArenaResult } from "./arena-load.ts";
import { bareDialect, type OpenseatSide, openseatDialect } from "./dialects.ts";

export type Order =
  | {
      readonly type: "open";
      readonly address: Address;
      readonly names: readonly string[];
      readonly perRoom: number;
      /** Undefined for the bare server. */
      readonly openseat: OpenseatSide | undefined;
    }
  | { readonly type: "saturate"; readonly durationMs: number }
  | { readonly type: "pace"; readonly perSecond: number; readonly durationMs: number };

export type Report =
  | { readonly type: "opened" }
  | ({ readonly type: "result"; readonly counts: readonly number[] } & Omit<ArenaResult, "latency">)
  | { readonly type: "failed"; readonly message: string };

let load: ArenaLoad | undefined;

async function follow(order: Order): Promise<Report> {
  if (order.type === "open") {
    const dialect = order.openseat ? openseatDialect(order.openseat) : bareDialect;
    load = new ArenaLoad(order.address, dialect, order.names, order.perRoom);
    await load.open();
    return { type: "opened" };
  }
  if (load === undefined) throw new LoadError("No players have joined yet.");
  const { latency, ...result } =
    order.type === "saturate"
      ? await load.saturate(order.durationMs)
      : await load.pace(order.perSecond, order.durationMs);
  return { type: "result", ...result, counts: [...latency.counts] };
}

process.on("message", (order: Order) => {
  follow(order).then(
    (report) => process.send?.(report),
    (error: Error) => {
      const message = error instanceof LoadError ? error.message : (error.stack ?? error.message);
      process.send?.({ type: "failed", message } satisfies Report);
    },
  );
});

// A benchmark that is killed cannot stop its children, so they exit when the channel closes.
process.on("disconnect", () => process.exit());
