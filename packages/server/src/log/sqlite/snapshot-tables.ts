import type { Head, Snapshot, SnapshotPart, StreamName } from "../log.ts";
import { statementsIn } from "../statements.ts";
import type { Sql } from "./sql.ts";

/** Parts to delete at a time. A larger deletion would delay the appends behind it. */
const stalePartsMax = 4;

const statement = statementsIn(new URL("./sql/snapshots.sql", import.meta.url), { stalePartsMax });

/**
 * Each part is written in its own transaction, so that appends continue in between. Parts become valid when the last one writes
 * the head.
 */
export class SnapshotTables {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  savePart(stream: StreamName, version: number, part: number, bytes: Uint8Array, head?: Head): void {
    this.#sql(statement("savePart")).run(version, part, bytes, stream);
    if (!head) return;
    this.#sql(statement("saveHead")).run(head.version, head.hash, stream);
    this.#sql(statement("dropSurplus")).run(stream, version, part);
    this.dropStaleParts(stream);
  }

  /** Deletes some parts that do not belong to the current snapshot. Returns false if none are left. */
  dropStaleParts(stream: StreamName): boolean {
    return this.#sql(statement("dropStale")).run(stream).changes === stalePartsMax;
  }

  version(stream: StreamName): number {
    return this.#sql(statement("head")).get(stream)?.version ?? 0;
  }

  part(stream: StreamName, part: number): SnapshotPart | undefined {
    return this.#sql(statement("part")).get(stream, part);
  }

  load(stream: StreamName): Snapshot | undefined {
    const found = this.#sql(statement("head")).get(stream);
    if (!found) return undefined;
    const { version, hash } = found;
    const rows = this.#sql("SELECT bytes FROM snapshot_parts WHERE stream = ? AND version = ? ORDER BY part");
    return { version, hash, parts: rows.all(found.stream, version).map(({ bytes }) => bytes) };
  }
}
