import { deadLettersMax, isTimeToDrop, type Log, outboxCountMax, type StoreSizes } from "../log.ts";
import { deadLetterOf, outgoingOf } from "../rows.ts";
import { statementsIn } from "../statements.ts";
import type { Connections } from "./connection/connections.ts";

const statement = statementsIn(new URL("./sql/outbox.sql", import.meta.url));

/** Effects that wait to be delivered, and dead letters. They are written together with the entries that cause them. */
export function outboxOn(connections: Connections) {
  return {
    async outbox(after, limit) {
      return (await connections.rows(statement("waiting"), [after, limit])).map(outgoingOf);
    },

    async outboxOf({ from, to }, { after, upTo }, limit) {
      const sender = from === undefined ? "" : "AND source = (SELECT number FROM streams WHERE name = $5)";
      const text = `SELECT outbox.number, name, outbox.version, target, body
        FROM outbox JOIN streams ON source = streams.number
        WHERE target = $1 ${sender} AND outbox.number > $2 AND outbox.number <= $3 AND failure IS NULL
        ORDER BY outbox.number LIMIT $4`;
      const values = [to, after, upTo, limit, ...(from === undefined ? [] : [from])];
      return (await connections.rows(text, values)).map(outgoingOf);
    },

    async delivered(numbers) {
      await connections.query("DELETE FROM outbox WHERE number = ANY($1)", [numbers]);
    },

    async undeliverable(numbers, reason, at) {
      const update = "UPDATE outbox SET failure = $1, failed_at = $2 WHERE number = ANY($3)";
      await connections.query(update, [reason, at, numbers]);
      if (numbers.some(isTimeToDrop)) await connections.query(statement("dropOldest"), [deadLettersMax]);
    },

    async deadLetters(before = Number.MAX_SAFE_INTEGER, limit) {
      return (await connections.rows(statement("deadLetters"), [before, limit])).map(deadLetterOf);
    },

    async discard(number) {
      const remove = "DELETE FROM outbox WHERE number = $1 AND failure IS NOT NULL";
      return (await connections.query(remove, [number])).rowCount === 1;
    },

    /** Inserts a new row: with its old number the letter would overtake waiting messages after a restart. */
    async resend(number) {
      return (await connections.rows(statement("resend"), [number])).map(outgoingOf)[0];
    },
  } satisfies Partial<Log>;
}

/** The size of the database and the number of waiting effects, in one query. */
export async function outboxSizes(
  connections: Connections,
): Promise<Pick<StoreSizes, "databaseBytes" | "outboxWaiting">> {
  const [{ bytes, waiting }] = await connections.rows(statement("sizes"), [outboxCountMax]);
  return { databaseBytes: Number(bytes), outboxWaiting: Number(waiting) };
}
