import type { StatementSync } from "node:sqlite";
import type { Append, Outgoing, StreamName } from "../log.ts";

/** What waits to be delivered to other streams. */
export class OutboxTable {
  readonly #sql: (text: string) => StatementSync;

  constructor(sql: (text: string) => StatementSync) {
    this.#sql = sql;
  }

  /** In the transaction of the entries that cause it. */
  write(source: number, effects: NonNullable<Append["effects"]>): void {
    const insert = this.#sql("INSERT INTO outbox (source, version, target, body) VALUES (?, ?, ?, ?)");
    for (const { version, to, body } of effects) insert.run(source, version, to, JSON.stringify(body));
  }

  waiting(after: number, limit: number): Outgoing[] {
    const rows = this.#sql(
      `SELECT outbox.number, name, outbox.version, target, body FROM outbox INDEXED BY outbox_waiting JOIN streams ON source = streams.number
       WHERE outbox.number > ? AND failure IS NULL ORDER BY outbox.number LIMIT ?`,
    ).all(after, limit);
    return rows.map((row) => ({
      number: row.number as number,
      from: row.name as StreamName,
      version: row.version as number,
      to: row.target as StreamName,
      body: JSON.parse(row.body as string),
    }));
  }

  remove(numbers: readonly number[]): void {
    const remove = this.#sql("DELETE FROM outbox WHERE number = ?");
    for (const number of numbers) remove.run(number);
  }

  setAside(numbers: readonly number[], reason: string): void {
    const update = this.#sql("UPDATE outbox SET failure = ? WHERE number = ?");
    for (const number of numbers) update.run(reason, number);
  }
}
