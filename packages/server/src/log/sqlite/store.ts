import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Millis } from "@openseat/kernel";
import { decodeEntry } from "../entry.ts";
import {
  type Append,
  type AppendOutcome,
  endedStatus,
  type Head,
  type Listed,
  type ListQuery,
  type LiveQuery,
  outboxCountMax,
  type StoredBatch,
  type StoreSizes,
  type StreamName,
} from "../log.ts";
import { listedOf, type Row, readCharactersMax } from "../rows.ts";
import { statementsIn } from "../statements.ts";
import { assertSpace, OpenFiles } from "./folder-checks.ts";
import { headOf, type LogHead, markHeaded } from "./head-file.ts";
import { LadderTables } from "./ladder-tables.ts";
import { migrations, unfinishedSchema } from "./migrations.ts";
import { OutboxTable } from "./outbox-table.ts";
import { keepPrivate } from "./private-file.ts";
import { SnapshotTables } from "./snapshot-tables.ts";
import type { Sql } from "./sql.ts";

const statement = statementsIn(new URL("./sql/streams.sql", import.meta.url));

/** Before this version, SQLite could lose a commit when the WAL was reset at an unlucky moment. */
const sqliteMin = "3.51.3";

/** Joins the lines into one text: sending a thread two hundred small texts costs more than deciding them. */
export function pack({ stream, after, lines, hash, due, listing, creator, rows, effects }: Append) {
  return {
    ...{ stream, after, hash, due, creator, count: lines.length, lines: lines.join("\n") },
    status: listing.status,
    summary: JSON.stringify(listing.summary),
    rows: rows && JSON.stringify(rows),
    effects: effects && JSON.stringify(effects),
  };
}

export type PackedAppend = ReturnType<typeof pack>;

/** The SQL of the embedded log: synchronous, on one connection, in the writer's thread. */
export class SqliteStore {
  readonly #folder: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #sql: Sql = (text) => this.#prepared(text);
  readonly #ladders = new LadderTables(this.#sql);
  readonly #outbox = new OutboxTable(this.#sql);
  readonly #snapshots = new SnapshotTables(this.#sql);
  /** Undefined while the tables are created. */
  readonly #files: OpenFiles | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    const path = join(folder, "openseat.db");
    keepPrivate(path);
    this.#db = new DatabaseSync(path, { timeout: 5_000 });
    try {
      this.#prepare();
      this.#files = new OpenFiles(folder);
    } catch (error) {
      // Close it here: otherwise it would be closed when the thread ends, and delete the write-ahead log of the folder's next
      // owner.
      this.#db.close();
      throw error;
    }
  }

  #prepare(): void {
    this.#assertVersion();
    // FULL: a commit is on the disk when it returns. WAL: a commit is one sequential write and one flush. fullfsync: on macOS, an
    // ordinary flush does not reach the disk. A longer log before a checkpoint writes fewer pages twice.
    this.#db.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON; PRAGMA wal_autocheckpoint = 16000",
    );
    this.#migrate();
  }

  #assertVersion(): void {
    const { version } = this.#sql("SELECT sqlite_version() AS version").get();
    const newer = version.localeCompare(sqliteMin, "en", { numeric: true });
    if (newer < 0)
      throw new Error(
        `SQLite ${version} can lose commits; Openseat needs ${sqliteMin} or newer (Node 24.12 or newer).`,
      );
  }

  #migrate(): void {
    const { user_version: at } = this.#sql("PRAGMA user_version").get();
    if (at === unfinishedSchema)
      throw new Error("The data folder holds an unfinished copy. Run openseat copy again to restart it.");
    if (at > migrations.length) {
      throw new Error(
        `The data folder was written by a newer Openseat (schema ${at}; this one knows ${migrations.length}). Please start that version or a later one.`,
      );
    }
    for (let number = at; number < migrations.length; number++) {
      this.#inTransaction(() => {
        this.#db.exec(migrations[number].sql);
        this.#db.exec(`PRAGMA user_version = ${number + 1}`);
      });
    }
  }

  append(appends: readonly PackedAppend[]): AppendOutcome[] {
    return this.#inTransaction(() => appends.map((append) => this.#appendOne(append)));
  }

  #appendOne(append: PackedAppend): AppendOutcome {
    const { stream, after, count, lines, hash, due = null, status, summary, rows, effects } = append;
    const found = after === 0 ? this.#add(append) : this.#sql(statement("at")).get(stream, after);
    if (!found) return "conflict";
    const { number } = found;
    this.#sql(statement("advance")).run(after + count, hash, summary, number);
    // These columns are indexed and rarely change: rewriting two indexes for every join would cost more than the join.
    if (found.status !== status || found.due !== due)
      this.#sql("UPDATE streams SET status = ?, due = ? WHERE number = ?").run(status, due, number);
    this.#sql(statement("addBatch")).run(number, after + 1, count, lines, hash);
    if (rows !== undefined) this.#ladders.write(number, JSON.parse(rows));
    if (effects !== undefined) this.#outbox.write(number, JSON.parse(effects));
    return "appended";
  }

  #add({ stream, creator }: PackedAppend): Row | undefined {
    return this.#sql(statement("add")).get(stream, stream.slice(0, stream.indexOf("/")), creator ?? null);
  }

  head(stream: StreamName): Head | undefined {
    return this.#sql("SELECT version, hash FROM streams WHERE name = ?").get(stream);
  }

  read(stream: StreamName, after: number, limit: number): StoredBatch[] {
    const found: StoredBatch[] = [];
    let entries = 0;
    let characters = 0;
    for (const { first, count, lines, hash } of this.#sql(statement("read")).iterate(stream, after + 1)) {
      if (first + count - 1 > after) {
        found.push({ first, lines: lines.split("\n"), hash });
        entries += count;
        characters += lines.length;
      }
      if (entries >= limit || characters >= readCharactersMax) break;
    }
    return found;
  }

  line(stream: StreamName, version: number): string | undefined {
    const row = this.#sql(statement("line")).get(stream, version);
    return row?.lines.split("\n", version - row.first + 1)[version - row.first];
  }

  list({ kind, status, isLive, before = Number.MAX_SAFE_INTEGER, limit }: ListQuery): Listed[] {
    const ofStatus = `${status === undefined ? "" : "AND status = ?"} ${isLive ? `AND status <> '${endedStatus}'` : ""}`;
    const text = `SELECT number, name, status, summary FROM streams
      WHERE kind = ? AND number < ? ${ofStatus} ORDER BY number DESC LIMIT ?`;
    const values = [kind, before, ...(status === undefined ? [] : [status]), limit];
    return this.#sql(text)
      .all(...values)
      .map(listedOf);
  }

  countLive({ creator, kinds, limit }: LiveQuery): number {
    const text = `SELECT count(*) AS count FROM (
      SELECT 1 FROM streams WHERE creator = ? AND status <> '${endedStatus}'
      AND kind IN (${kinds.map(() => "?").join(", ")}) LIMIT ?)`;
    return this.#sql(text).get(creator, ...kinds, limit).count;
  }

  due(now: Millis, limit: number): StreamName[] {
    const rows = this.#sql("SELECT name FROM streams WHERE due <= ? ORDER BY due LIMIT ?").all(now, limit);
    return rows.map(({ name }) => name);
  }

  nextDue(now: Millis): Millis | undefined {
    return this.#sql("SELECT min(due) AS due FROM streams WHERE due > ?").get(now).due ?? undefined;
  }

  sizes(): StoreSizes {
    const bytesOf = (name: string) =>
      statSync(join(this.#folder, name), { throwIfNoEntry: false })?.size ?? 0;
    const [oldest] = this.outbox(0, 1);
    const line = oldest && this.line(oldest.from, oldest.version);
    return {
      databaseBytes: bytesOf("openseat.db"),
      walBytes: bytesOf("openseat.db-wal"),
      outboxWaiting: this.#outbox.count(outboxCountMax),
      outboxOldestAt: line === undefined ? undefined : decodeEntry(line).at,
    };
  }

  /** Throws if nothing more should be written here; after a full disk, until a write succeeds again. */
  inspect(wasFull: boolean): void {
    this.#files?.assertAll();
    if (!wasFull) return;
    assertSpace(this.#folder);
    this.#inTransaction(() => this.#db.exec(`PRAGMA user_version = ${migrations.length}`));
  }

  readonly matches: LadderTables["matches"] = (query) => this.#ladders.matches(query);
  readonly played: LadderTables["played"] = (query) => this.#ladders.played(query);
  readonly playersNamed: LadderTables["playersNamed"] = (...args) => this.#ladders.playersNamed(...args);

  readonly outbox: OutboxTable["waiting"] = (...args) => this.#outbox.waiting(...args);
  readonly outboxOf: OutboxTable["waitingOn"] = (...args) => this.#outbox.waitingOn(...args);
  readonly deadLetters: OutboxTable["deadLetters"] = (...args) => this.#outbox.deadLetters(...args);
  readonly delivered: OutboxTable["remove"] = (...args) =>
    this.#inTransaction(() => this.#outbox.remove(...args));
  readonly undeliverable: OutboxTable["setAside"] = (...args) =>
    this.#inTransaction(() => this.#outbox.setAside(...args));
  readonly discard: OutboxTable["discard"] = (...args) =>
    this.#inTransaction(() => this.#outbox.discard(...args));
  readonly resend: OutboxTable["resend"] = (...args) =>
    this.#inTransaction(() => this.#outbox.resend(...args));

  readonly snapshotVersion: SnapshotTables["version"] = (stream) => this.#snapshots.version(stream);
  readonly snapshotPart: SnapshotTables["part"] = (...args) => this.#snapshots.part(...args);
  readonly loadSnapshot: SnapshotTables["load"] = (stream) => this.#snapshots.load(stream);
  readonly saveSnapshotPart: SnapshotTables["savePart"] = (...args) =>
    this.#inTransaction(() => this.#snapshots.savePart(...args));
  readonly dropStaleParts: SnapshotTables["dropStaleParts"] = (stream) =>
    this.#inTransaction(() => this.#snapshots.dropStaleParts(stream));

  readonly newest = (): LogHead => headOf(this.#db);
  readonly markHeaded = (): void => markHeaded(this.#db);
  readonly close = (): void => this.#db.close();

  #inTransaction<T>(work: () => T): T {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#db.exec("COMMIT");
      // Check only now: a commit to a folder that was deleted before it must not be acknowledged.
      this.#files?.assertDatabase();
      return result;
    } catch (error) {
      // A failed flush may already have rolled back.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  #prepared(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#db.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}
