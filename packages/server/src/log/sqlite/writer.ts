/** The thread that owns the store. SQLite flushes synchronously, which would block the event loop on the main thread. */
import { parentPort, workerData } from "node:worker_threads";
import { isDiskFull } from "./folder-checks.ts";
import { findLoss, lossAdvice } from "./head-file.ts";
import { ownFolder } from "./owner.ts";
import { SqliteStore } from "./store.ts";

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

/** SQLite's error codes SQLITE_CORRUPT and SQLITE_NOTADB. */
const damagedCodes = [11, 26];

const port = parentPort;
if (!port) throw new Error("The writer runs as a thread of the server, not by itself.");

function attempt(id: number, work: () => unknown): void {
  try {
    port!.postMessage({ id, result: work() } satisfies Reply);
  } catch (error) {
    const { message, name } = error as Error;
    port!.postMessage({
      id,
      error: message,
      name: isDiskFull(error as Error) ? "DiskFull" : name,
    } satisfies Reply);
  }
}

let store: SqliteStore | undefined;
const opening = 0;
const { folder, acceptsLoss } = workerData as { folder: string; acceptsLoss: boolean };
attempt(opening, () => {
  try {
    return openStore();
  } catch (error) {
    throw explained(error as Error);
  }
});

/** Returns the accepted loss. */
function openStore(): string | undefined {
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
  port!.on("message", ({ id, method, args }: Call) => {
    attempt(id, () => (store![method] as (...args: unknown[]) => unknown)(...args));
    if (method === "close") {
      owned.release();
      port!.close();
    }
  });
  return loss;
}

/** Messages from the system and SQLite name neither the folder nor a remedy. */
function explained(error: Error & { readonly code?: string; readonly errcode?: number }): Error {
  if (error.code === undefined) return error;
  const advice = damagedCodes.includes(error.errcode ?? 0)
    ? "Its openseat.db is damaged or not an Openseat database: restore the whole folder from a backup."
    : "Check that it is a folder, that the user who runs the server may write to it and to the files in it, and that its disk is neither full nor away.";
  return new Error(`The data folder ${folder} cannot be used: ${error.message}. ${advice}`, { cause: error });
}
