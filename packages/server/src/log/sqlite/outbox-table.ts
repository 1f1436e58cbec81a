import type { Millis } from "@openseat/kernel";
import {
  type Append,
  type DeadLetter,
  deadLettersMax,
  isTimeToDrop,
  type Outgoing,
  type Route,
  type Span,
} from "../log.ts";
import { deadLetterOf, outgoingOf } from "../rows.ts";
import { statementsIn } from "../statements.ts";
import type { Sql } from "./sql.ts";

const statement = statementsIn(new URL("./sql/outbox.sql", import.meta.url));

/** Effects that wait to be delivered, and dead letters. */
export class OutboxTable {
  readonly #sql: Sql;
  readonly #deadLettersMax: number;

  constructor(sql: Sql, lettersMax = deadLettersMax) {
    this.#sql = sql;
    this.#deadLettersMax = lettersMax;
  }

  /** Runs in the transaction of the entries that cause the effects. */
  write(source: number, effects: NonNullable<Append["effects"]>): void {
    const insert = this.#sql("INSERT INTO outbox (source, version, target, body) VALUES (?, ?, ?, ?)");
    for (const { version, to, body } of effects) insert.run(source, version, to, JSON.stringify(body));
  }

  waiting(after: number, limit: number): Outgoing[] {
    return this.#sql(statement("waiting")).all(after, limit).map(outgoingOf);
  }

  count(limit: number): number {
    return this.#sql(statement("count")).get(limit).count;
  }

  waitingOn({ from, to }: Route, { after, upTo }: Span, limit: number): Outgoing[] {
    const sender = from === undefined ? "" : "AND source = (SELECT number FROM streams WHERE name = ?)";
    // Use an index in the order of the numbers: sorting all waiting effects for each page would delay flushes.
    const index = from === undefined ? "outbox_by_target" : "outbox_by_route";
    const text = `SELECT outbox.number, name, outbox.version, target, body
      FROM outbox INDEXED BY ${index} JOIN streams ON source = streams.number
      WHERE target = ? ${sender} AND outbox.number > ? AND outbox.number <= ? AND failure IS NULL
      ORDER BY outbox.number LIMIT ?`;
    const values = [to, ...(from === undefined ? [] : [from]), after, upTo, limit];
    return this.#sql(text)
      .all(...values)
      .map(outgoingOf);
  }

  remove(numbers: readonly number[]): void {
    const remove = this.#sql("DELETE FROM outbox WHERE number = ?");
    for (const number of numbers) remove.run(number);
  }

  setAside(numbers: readonly number[], reason: string, at: Millis): void {
    const update = this.#sql("UPDATE outbox SET failure = ?, failed_at = ? WHERE number = ?");
    for (const number of numbers) update.run(reason, at, number);
    if (numbers.some(isTimeToDrop)) this.#sql(statement("dropOldest")).run(this.#deadLettersMax);
  }

  deadLetters(before = Number.MAX_SAFE_INTEGER, limit: number): DeadLetter[] {
    return this.#sql(statement("deadLetters")).all(before, limit).map(deadLetterOf);
  }

  discard(number: number): boolean {
    return this.#sql("DELETE FROM outbox WHERE number = ? AND failure IS NOT NULL").run(number).changes > 0;
  }

  /** Inserts a new row: with its old number the letter would overtake waiting messages after a restart. */
  resend(number: number): Outgoing | undefined {
    const added = this.#sql(statement("resend")).get(number);
    if (!added) return undefined;
    this.remove([number]);
    return this.waiting(added.number - 1, 1)[0];
  }
}
