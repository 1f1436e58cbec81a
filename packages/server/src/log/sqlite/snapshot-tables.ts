import type { StatementSync } from "node:sqlite";
import type { Head, Snapshot, SnapshotPart, StreamName } from "../log.ts";
import { statementsIn } from "../statements.ts";

/** Parts that are removed in one go: a larger deletion would hold up the appends behind it. */
const stalePartsMax = 4;

const statement = statementsIn(new URL("./sql/snapshots.sql", import.meta.url), { stalePartsMax });

/**
 * A snapshot is written part by part, each in a transaction of its own, so that appends go on in between. Only
 * the last, which brings the head, makes the parts count: a crash before it leaves the old snapshot.
 */
export class SnapshotTables {
  readonly #sql: (text: string) => StatementSync;

  constructor(sql: (text: string) => StatementSync) {
    this.#sql = sql;
  }

  savePart(stream: StreamName, version: number, part: number, bytes: Uint8Array, head?: Head): void {
    this.#sql(statement("savePart")).run(version, part, bytes, stream);
    if (!head) return;
    this.#sql(statement("saveHead")).run(head.version, head.hash, stream);
    this.#sql(statement("dropSurplus")).run(stream, version, part);
    this.dropStaleParts(stream);
  }

  /** Removes some parts that do not belong to the present snapshot; false when there are none left. */
  dropStaleParts(stream: StreamName): boolean {
    const { changes } = this.#sql(statement("dropStale")).run(stream);
    return changes === stalePartsMax;
  }

  version(stream: StreamName): number {
    const found = this.#sql(
      "SELECT snapshots.version FROM snapshots JOIN streams ON stream = number WHERE name = ?",
    ).get(stream) as { version: number } | undefined;
    return found?.version ?? 0;
  }

  /** One part of the present snapshot; undefined when it has none of that number. */
  part(stream: StreamName, part: number): SnapshotPart | undefined {
    return this.#sql(statement("part")).get(stream, part) as SnapshotPart | undefined;
  }

  load(stream: StreamName): Snapshot | undefined {
    const found = this.#sql(statement("head")).get(stream) as
      | { stream: number; version: number; hash: string }
      | undefined;
    if (!found) return undefined;
    const { version, hash } = found;
    const rows = this.#sql("SELECT bytes FROM snapshot_parts WHERE stream = ? AND version = ? ORDER BY part");
    return { version, hash, parts: rows.all(found.stream, version).map((row) => row.bytes as Uint8Array) };
  }
}
