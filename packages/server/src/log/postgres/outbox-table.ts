import type { Millis } from "@openseat/kernel";
import {
  type DeadLetter,
  deadLettersMax,
  isTimeToDrop,
  type Outgoing,
  outboxCountMax,
  type Route,
  type Span,
  type StoreSizes,
} from "../log.ts";
import { statementsIn } from "../statements.ts";
import type { Connections } from "./connection/connections.ts";
import type { Row } from "./connection/session.ts";

const statement = statementsIn(new URL("./sql/outbox.sql", import.meta.url));

const columns = "outbox.number, name, outbox.version, target, body";
const withSource = "JOIN streams ON source = streams.number";

/** What waits to be delivered, and what could not be. It is written with the entries that cause it. */
export class OutboxTable {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async waiting(after: number, limit: number): Promise<Outgoing[]> {
    const { rows } = await this.#connections.query({
      text: statement("waiting"),
      values: [after, limit],
    });
    return rows.map(outgoing);
  }

  /** With the size of the database, in one question. */
  async sizes(): Promise<Pick<StoreSizes, "databaseBytes" | "outboxWaiting">> {
    const { rows } = await this.#connections.query({
      text: statement("sizes"),
      values: [outboxCountMax],
    });
    return { databaseBytes: Number(rows[0].bytes), outboxWaiting: Number(rows[0].waiting) };
  }

  async waitingOn({ from, to }: Route, { after, upTo }: Span, limit: number): Promise<Outgoing[]> {
    const sender = from === undefined ? "" : "AND source = (SELECT number FROM streams WHERE name = $5)";
    const { rows } = await this.#connections.query({
      text: `SELECT ${columns} FROM outbox ${withSource}
        WHERE target = $1 ${sender} AND outbox.number > $2 AND outbox.number <= $3 AND failure IS NULL
        ORDER BY outbox.number LIMIT $4`,
      values: [to, after, upTo, limit, ...(from === undefined ? [] : [from])],
    });
    return rows.map(outgoing);
  }

  async remove(numbers: readonly number[]): Promise<void> {
    await this.#connections.query({ text: "DELETE FROM outbox WHERE number = ANY($1)", values: [numbers] });
  }

  async setAside(numbers: readonly number[], reason: string, at: Millis): Promise<void> {
    await this.#connections.query({
      text: "UPDATE outbox SET failure = $1, failed_at = $2 WHERE number = ANY($3)",
      values: [reason, at, numbers],
    });
    if (numbers.some(isTimeToDrop)) await this.#dropOldest();
  }

  async #dropOldest(): Promise<void> {
    await this.#connections.query({
      text: statement("dropOldest"),
      values: [deadLettersMax],
    });
  }

  async deadLetters(before: number | undefined, limit: number): Promise<DeadLetter[]> {
    const { rows } = await this.#connections.query({
      text: statement("deadLetters"),
      values: [before ?? Number.MAX_SAFE_INTEGER, limit],
    });
    return rows.map((row) => ({
      ...outgoing(row),
      reason: row.failure,
      setAsideAt: row.failed_at ?? undefined,
    }));
  }

  async discard(number: number): Promise<boolean> {
    const { rowCount } = await this.#connections.query({
      text: "DELETE FROM outbox WHERE number = $1 AND failure IS NOT NULL",
      values: [number],
    });
    return rowCount === 1;
  }

  /** As a new row: with its old number it would overtake what waits by now, after a restart. */
  async resend(number: number): Promise<Outgoing | undefined> {
    const { rows } = await this.#connections.query({
      text: statement("resend"),
      values: [number],
    });
    return rows.map(outgoing)[0];
  }
}

function outgoing({ number, name, version, target, body }: Row): Outgoing {
  return { number, from: name, version, to: target, body: JSON.parse(body) };
}
