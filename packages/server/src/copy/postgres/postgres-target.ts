import { knownSchema, migrate, schemaOf } from "../../log/postgres/schema.ts";
import { CopyRefused, orClose, type Source, type Target } from "../ends.ts";
import { type Row, type Table, tables } from "../tables.ts";
import { connect, PostgresEnd, refusedWhenLocked } from "./postgres-end.ts";
import { writeRows } from "./postgres-rows.ts";
import { PostgresSource } from "./postgres-source.ts";

/** Marks a database with an unfinished copy. The stored text is compared with it, so it must not change. */
const unfinishedCopy =
  "The database holds a copy that has not ended. Please run openseat copy again, which begins it anew.";

/** Lock held while copying to a database. Must be the same in every version. */
const copyLock = 7_305_806_118;

const emptied = [...tables.map(({ name }) => name), "secrets"];

export class PostgresTarget extends PostgresEnd implements Target {
  static async open(url: string, signal: AbortSignal | undefined, source: Source): Promise<PostgresTarget> {
    // After a crash the copy starts over, so only the end must be flushed.
    const session = await connect(url, signal, { synchronous_commit: "off" });
    const target = new PostgresTarget(session, url);
    return orClose(target, () => target.#assertFree(source));
  }

  async begin(): Promise<void> {
    const schema = await schemaOf(this.session);
    if (schema?.closed !== unfinishedCopy) await migrate(this.session);
    await this.session.query("UPDATE schema_version SET closed = $1", [unfinishedCopy]);
    await this.session.query(`TRUNCATE ${emptied.join(", ")} RESTART IDENTITY`);
  }

  write(table: Table, rows: readonly Row[]): Promise<void> {
    return writeRows(this.session, table, rows);
  }

  async continueAfter(lastOutgoing: number): Promise<void> {
    await this.session.query(
      `SELECT setval('streams_number_seq', max(number)), setval('outbox_number_seq', nullif($1::bigint, 0)) FROM streams`,
      [lastOutgoing],
    );
  }

  async finish(): Promise<void> {
    // Without this, the first queries would be planned for empty tables.
    await this.session.query(`ANALYZE ${emptied.join(", ")}`);
    // This flushes everything that was committed before it, too.
    await this.session.query("SET synchronous_commit = on");
    await this.session.query("UPDATE schema_version SET closed = NULL");
  }

  async #assertFree(source: Source): Promise<void> {
    const { session, shown } = this;
    if (source instanceof PostgresSource && (await source.isOn(session)))
      throw new CopyRefused(`${source.shown} and ${shown} are the same database.`);
    // The database may still be writing the last page of a copy that was killed.
    await session
      .query(`SELECT pg_advisory_lock(${copyLock})`)
      .catch(refusedWhenLocked(`Another copy to ${shown} is running.`));
    const schema = await schemaOf(session);
    if (!schema) return;
    if (schema.version !== knownSchema)
      throw new CopyRefused(
        `${shown} has the tables of another Openseat (schema ${schema.version}; this one has ${knownSchema}). Please name an empty database.`,
      );
    if (schema.closed === unfinishedCopy) return;
    if (schema.closed !== null) throw new CopyRefused(`${shown}: ${schema.closed}`);
    await this.assertNoNodes();
    const parts = emptied.map((name) => `SELECT 1 FROM ${name}`).join(" UNION ALL ");
    const [{ anything }] = await session.rows(`SELECT EXISTS (${parts}) AS anything`);
    if (anything)
      throw new CopyRefused(`There is a log in ${shown} already. Please name a database without one.`);
  }
}
