import type { SecretStore } from "../config/secret-store.ts";
import type { Row, Table } from "./tables.ts";

/** The copy cannot start; nothing has been written. The message is a sentence. */
export class CopyRefused extends Error {
  override readonly name = "CopyRefused";
}

export interface Totals {
  readonly streams: number;
  readonly entries: number;
  /** Total length of the entries in UTF-8. */
  readonly bytes: number;
}

export interface End {
  /** The address, without the password. */
  readonly shown: string;
  readonly secrets: SecretStore;
  /** Rows in key order, in pages limited by rows and bytes. */
  pages(table: Table): AsyncIterable<readonly Row[]>;
  /** The last number that the outbox assigned, even if it was delivered long ago. */
  lastOutgoing(): Promise<number>;
  close(): Promise<void>;
}

/** A log that no server uses during the copy. */
export interface Source extends End {
  totals(): Promise<Totals>;
}

/** A store without a log, or with an unfinished copy. */
export interface Target extends End {
  /** Empties the store and marks it, so that no server starts on it before `finish`. */
  begin(): Promise<void>;
  write(table: Table, rows: readonly Row[]): Promise<void>;
  /** Call it after all rows: new streams are numbered after existing ones, and new effects after `lastOutgoing`. */
  continueAfter(lastOutgoing: number): Promise<void>;
  /** Makes the copy durable, then removes the mark. */
  finish(): Promise<void>;
}

/** Returns the end if `check` accepts it; otherwise closes it. */
export async function orClose<Opened extends End>(
  end: Opened,
  check: () => Promise<void> | void,
): Promise<Opened> {
  try {
    await check();
    return end;
  } catch (error) {
    await end.close();
    throw error;
  }
}

/** A single row may exceed the limit of characters. */
export const pageLimits = { pageRowsMax: 2_000, pageCharactersMax: 4_000_000 } as const;
