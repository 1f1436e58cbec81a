import type { SecretStore } from "../config/secret-store.ts";
import type { Row, Table } from "./tables.ts";

/** Nothing has been written. The message is a sentence. */
export class CopyRefused extends Error {
  override readonly name = "CopyRefused";
}

export interface Totals {
  readonly streams: number;
  readonly entries: number;
  /** Of the entries, in UTF-8. */
  readonly bytes: number;
}

export interface End {
  /** Without the password. */
  readonly shown: string;
  readonly secrets: SecretStore;
  /** Rows in the order of their key, by pages with limits in rows and bytes. */
  pages(table: Table): AsyncIterable<readonly Row[]>;
  /** The last number that the outbox has given, even if it was delivered long ago. */
  lastOutgoing(): Promise<number>;
  close(): Promise<void>;
}

/** A log that no server uses meanwhile. */
export interface Source extends End {
  totals(): Promise<Totals>;
}

/** A store without a log, or with an unfinished copy. */
export interface Target extends End {
  /** Empties it, and marks it so that no server starts on it before `finish`. */
  begin(): Promise<void>;
  write(table: Table, rows: readonly Row[]): Promise<void>;
  /** To be called after all rows: new streams are numbered after the existing ones, and new effects after `lastOutgoing`. */
  continueAfter(lastOutgoing: number): Promise<void>;
  /** Makes the copy durable, and then removes the mark. */
  finish(): Promise<void>;
}

/** The end, if `check` lets it be used; else it is closed. */
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

/** One row alone may have more characters. */
export const pageLimits = { pageRowsMax: 2_000, pageCharactersMax: 4_000_000 } as const;
