import type { SecretStore } from "../config/secret-store.ts";
import type { Row, Table } from "./tables.ts";

/** What is in the way of a copy, in a sentence: nothing has been written. */
export class CopyRefused extends Error {
  override readonly name = "CopyRefused";
}

/** What a copy is measured by. */
export interface Totals {
  readonly streams: number;
  readonly entries: number;
  /** Of the entries, in UTF-8. */
  readonly bytes: number;
}

/** What can be read at either end of a copy. */
export interface End {
  /** For people: without a password. */
  readonly shown: string;
  readonly secrets: SecretStore;
  /** Rows in the order of their key, in pages that are bounded in rows and in bytes. */
  pages(table: Table): AsyncIterable<readonly Row[]>;
  /** The last number that the outbox has given, also if what had it was delivered long ago. */
  lastOutgoing(): Promise<number>;
  /** Lets go of it, as it is. */
  close(): Promise<void>;
}

/** A log that nobody uses meanwhile. */
export interface Source extends End {
  totals(): Promise<Totals>;
}

/** A store without a log, or with what is left of a copy that did not end. */
export interface Target extends End {
  /** Empties it, and marks it so that no server starts on it before `finish`. */
  begin(): Promise<void>;
  write(table: Table, rows: readonly Row[]): Promise<void>;
  /** After all rows: what is made from now on gets numbers after those that there are, and after this one in the outbox. */
  continueAfter(lastOutgoing: number): Promise<void>;
  /** Makes all of it durable, and only then takes away the mark. */
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

/** Rows of a page, and characters or bytes in it before it is handed on. One row alone may have more. */
export const pageLimits = { pageRowsMax: 2_000, pageCharactersMax: 4_000_000 } as const;
