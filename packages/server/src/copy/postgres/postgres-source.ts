import { randomInt } from "node:crypto";
import type { Session } from "../../log/postgres/connection/session.ts";
import { migrations } from "../../log/postgres/migrations.ts";
import { knownSchema, schemaOf } from "../../log/postgres/schema.ts";
import { CopyRefused, orClose, type Source, type Totals } from "../ends.ts";
import { connect, PostgresEnd, refusedWhenLocked } from "./postgres-end.ts";

/** The log of a database, read in one transaction that blocks all writers. */
export class PostgresSource extends PostgresEnd implements Source {
  /** The key of an advisory lock that is held in this database during the copy. */
  readonly #sign = randomInt(2 ** 47);

  static async open(url: string, signal: AbortSignal | undefined): Promise<PostgresSource> {
    const source = new PostgresSource(await connect(url, signal), url);
    return orClose(source, () => source.#begin());
  }

  /** Whether this connection leads to the same database: two addresses may. */
  async isOn(other: Session): Promise<boolean> {
    const text = "SELECT NOT pg_try_advisory_xact_lock($1::bigint) AS held";
    const [{ held }] = await other.rows(text, [this.#sign]);
    return held;
  }

  async totals(): Promise<Totals> {
    const text = `SELECT count(*) AS streams, coalesce(sum(version), 0)::bigint AS entries,
      (SELECT coalesce(sum(octet_length(lines)), 0)::bigint FROM batches) AS bytes FROM streams WHERE version > 0`;
    const [totals] = await this.session.rows(text);
    return totals;
  }

  /** Migrates an older log within this transaction, which is never committed: a copy does not change its source. */
  async #begin(): Promise<void> {
    const { session, shown } = this;
    const schema = await schemaOf(session);
    if (!schema) throw new CopyRefused(`There is no Openseat log in ${shown}.`);
    if (schema.closed !== null) throw new CopyRefused(`${shown}: ${schema.closed}`);
    if (schema.version > knownSchema)
      throw new CopyRefused(
        `The log in ${shown} was written by a newer Openseat (schema ${schema.version}; this one knows ${knownSchema}). Please copy it with that version or a later one.`,
      );
    await this.assertNoNodes();
    const tables = await session.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'openseat'");
    const all = tables.map(({ tablename }) => tablename).join(", ");
    await session.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    // Lock before reading: otherwise a server that starts meanwhile could write entries that the copy lacks.
    await session
      .query(`LOCK TABLE ${all} IN SHARE MODE`)
      .catch(
        refusedWhenLocked(
          `${shown} is in use: somebody is writing to it. Please stop all servers on it first.`,
        ),
      );
    for (const { sql } of migrations.slice(schema.version)) await session.query(sql);
    await session.query("SELECT pg_advisory_xact_lock($1::bigint)", [this.#sign]);
  }
}
