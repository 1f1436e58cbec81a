import type { SQLOutputValue, StatementSync } from "node:sqlite";
import type { Millis } from "@openseat/kernel";
import {
  type Append,
  type DeadLetter,
  deadLettersMax,
  isTimeToDrop,
  type Outgoing,
  type Route,
  type Span,
  type StreamName,
} from "../log.ts";
import { statementsIn } from "../statements.ts";

const statement = statementsIn(new URL("./sql/outbox.sql", import.meta.url));

type Row = Record<string, SQLOutputValue>;

const columns = "outbox.number, name, outbox.version, target, body";
const withSource = "JOIN streams ON source = streams.number";

/** What waits to be delivered, and what could not be. */
export class OutboxTable {
  readonly #sql: (text: string) => StatementSync;

  readonly #deadLettersMax: number;

  constructor(sql: (text: string) => StatementSync, lettersMax = deadLettersMax) {
    this.#sql = sql;
    this.#deadLettersMax = lettersMax;
  }

  /** In the transaction of the entries that cause it. */
  write(source: number, effects: NonNullable<Append["effects"]>): void {
    const insert = this.#sql("INSERT INTO outbox (source, version, target, body) VALUES (?, ?, ?, ?)");
    for (const { version, to, body } of effects) insert.run(source, version, to, JSON.stringify(body));
  }

  waiting(after: number, limit: number): Outgoing[] {
    const rows = this.#sql(statement("waiting")).all(after, limit);
    return rows.map(outgoing);
  }

  /** At most `limit`. */
  count(limit: number): number {
    const row = this.#sql(
      `SELECT count(*) AS count FROM (SELECT 1 FROM outbox INDEXED BY outbox_waiting WHERE failure IS NULL LIMIT ?)`,
    ).get(limit);
    return row?.count as number;
  }

  waitingOn({ from, to }: Route, { after, upTo }: Span, limit: number): Outgoing[] {
    const sender = from === undefined ? "" : "AND source = (SELECT number FROM streams WHERE name = ?)";
    // In the order of the numbers by itself: to sort all that waits for each page of it would hold up the flushes.
    const index = from === undefined ? "outbox_by_target" : "outbox_by_route";
    const rows = this.#sql(
      `SELECT ${columns} FROM outbox INDEXED BY ${index} ${withSource}
       WHERE target = ? ${sender} AND outbox.number > ? AND outbox.number <= ? AND failure IS NULL
       ORDER BY outbox.number LIMIT ?`,
    ).all(to, ...(from === undefined ? [] : [from]), after, upTo, limit);
    return rows.map(outgoing);
  }

  remove(numbers: readonly number[]): void {
    const remove = this.#sql("DELETE FROM outbox WHERE number = ?");
    for (const number of numbers) remove.run(number);
  }

  setAside(numbers: readonly number[], reason: string, at: Millis): void {
    const update = this.#sql("UPDATE outbox SET failure = ?, failed_at = ? WHERE number = ?");
    for (const number of numbers) update.run(reason, at, number);
    if (numbers.some(isTimeToDrop)) this.#dropOldest();
  }

  #dropOldest(): void {
    this.#sql(statement("dropOldest")).run(this.#deadLettersMax);
  }

  deadLetters(before: number | undefined, limit: number): DeadLetter[] {
    const rows = this.#sql(statement("deadLetters")).all(before ?? Number.MAX_SAFE_INTEGER, limit);
    return rows.map((row) => ({
      ...outgoing(row),
      reason: row.failure as string,
      setAsideAt: (row.failed_at ?? undefined) as Millis | undefined,
    }));
  }

  discard(number: number): boolean {
    return this.#sql("DELETE FROM outbox WHERE number = ? AND failure IS NOT NULL").run(number).changes > 0;
  }

  /** As a new row: with its old number it would overtake what waits by now, after a restart. */
  resend(number: number): Outgoing | undefined {
    const added = this.#sql(statement("resend")).get(number);
    if (!added) return undefined;
    this.remove([number]);
    const [sent] = this.waiting((added.number as number) - 1, 1);
    return sent;
  }
}

function outgoing(row: Row): Outgoing {
  return {
    number: row.number as number,
    from: row.name as StreamName,
    version: row.version as number,
    to: row.target as StreamName,
    body: JSON.parse(row.body as string),
  };
}
