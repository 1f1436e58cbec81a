/**
 * The thread that owns the store. SQLite flushes synchronously; in a thread of its own that never stops the event
 * loop, and requests go on being read while their predecessors are on their way to the disk.
 */
import { parentPort, workerData } from "node:worker_threads";
import { findLoss, lossAdvice } from "./head-file.ts";
import { ownFolder } from "./owner.ts";
import { SqliteStore } from "./store.ts";

/** The calls that the writer takes: every method of the store. */
export type Call = {
  [Method in keyof SqliteStore]: {
    readonly id: number;
    readonly method: Method;
    readonly args: Parameters<SqliteStore[Method]>;
  };
}[keyof SqliteStore];

export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string; readonly name: string };

const port = parentPort;
if (!port) throw new Error("The writer runs as a thread of the server, not by itself.");

function attempt(id: number, work: () => unknown): void {
  try {
    port!.postMessage({ id, result: work() } satisfies Reply);
  } catch (error) {
    const { message, name } = error as Error;
    port!.postMessage({ id, error: message, name } satisfies Reply);
  }
}

let store: SqliteStore | undefined;
const opening = 0;
attempt(opening, () => {
  const { folder, acceptsLoss } = workerData as { folder: string; acceptsLoss: boolean };
  const owned = ownFolder(folder, acceptsLoss);
  let loss: string | undefined;
  try {
    loss = findLoss(folder);
    if (loss !== undefined && !acceptsLoss) throw new Error(`${loss} ${lossAdvice}`);
    store = new SqliteStore(folder);
  } catch (error) {
    owned.release();
    throw error;
  }
  port.on("message", ({ id, method, args }: Call) => {
    attempt(id, () => (store![method] as (...args: unknown[]) => unknown)(...args));
    if (method === "close") {
      owned.release();
      port.close();
    }
  });
  return loss;
});
