import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Millis, PlayerNumber } from "@openseat/kernel";
import { decodeEntry } from "../entry.ts";
import type { MatchQuery, MatchRecord, Played, PlayedQuery } from "../ladder-store.ts";
import {
  type Append,
  type AppendOutcome,
  type DeadLetter,
  endedStatus,
  type Head,
  type Listed,
  type ListQuery,
  type LiveQuery,
  type Outgoing,
  outboxCountMax,
  type Route,
  type Snapshot,
  type SnapshotPart,
  type Span,
  type StoredBatch,
  type StoreSizes,
  type StreamName,
} from "../log.ts";
import { statementsIn } from "../statements.ts";
import { assertSpace } from "./full-disk.ts";
import { headOf, type LogHead, markHeaded } from "./head-file.ts";
import { LadderTables } from "./ladder-tables.ts";
import { migrations, unfinishedSchema } from "./migrations.ts";
import { OpenFiles } from "./open-files.ts";
import { OutboxTable } from "./outbox-table.ts";
import { keepPrivate } from "./private-file.ts";
import { SnapshotTables } from "./snapshot-tables.ts";

const statement = statementsIn(new URL("./sql/streams.sql", import.meta.url));

/** Before this one, SQLite could lose a commit when the WAL was reset at an unlucky moment. */
const sqliteMin = "3.51.3";

/** The lines as one text: handing a thread two hundred small texts costs more than deciding them. */
export type PackedAppend = Omit<Append, "lines" | "listing" | "rows" | "effects"> & {
  readonly count: number;
  readonly lines: string;
  readonly status: string;
  readonly summary: string;
  readonly rows: string | undefined;
  readonly effects: string | undefined;
};

export function pack(append: Append): PackedAppend {
  const { stream, after, lines, hash, due, listing, creator, rows, effects } = append;
  const { status, summary } = listing;
  return {
    ...{ stream, after, count: lines.length, lines: lines.join("\n"), hash, due, status },
    ...(creator !== undefined && { creator }),
    summary: JSON.stringify(summary),
    rows: rows && JSON.stringify(rows),
    effects: effects && JSON.stringify(effects),
  };
}

interface StreamRow {
  readonly number: number;
  readonly status: string;
  readonly due: number | null;
}

/** Entries differ in size by a thousand times and more: a page of large ones would hold up everybody who waits for it. */
const readCharactersMax = 2_000_000;

/** The SQL behind the embedded log: synchronous, on one connection. Runs in the writer's thread. */
export class SqliteStore {
  readonly #folder: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #ladders = new LadderTables((text) => this.#sql(text));
  readonly #outbox = new OutboxTable((text) => this.#sql(text));
  readonly #snapshots = new SnapshotTables((text) => this.#sql(text));
  /** Undefined while the tables are made. */
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
      // Left open, it would be closed at the end of the thread, and delete the write-ahead log of the folder's next owner.
      this.#db.close();
      throw error;
    }
  }

  #prepare(): void {
    this.#assertVersion();
    // FULL: a commit is on the disk when it returns. WAL: a commit is one sequential write and one flush.
    // fullfsync: on macOS an ordinary flush stops short of the disk. A longer log before a checkpoint: fewer pages
    // are written twice.
    this.#db.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON; PRAGMA wal_autocheckpoint = 16000",
    );
    this.#migrate();
  }

  #assertVersion(): void {
    const { version } = this.#db.prepare("SELECT sqlite_version() AS version").get() as { version: string };
    const newer = version.localeCompare(sqliteMin, "en", { numeric: true });
    if (newer < 0)
      throw new Error(
        `SQLite ${version} can lose commits; Openseat needs ${sqliteMin} or newer (Node 24.12 or newer).`,
      );
  }

  #migrate(): void {
    const { user_version: at } = this.#db.prepare("PRAGMA user_version").get() as { user_version: number };
    if (at === unfinishedSchema)
      throw new Error(
        "The data folder holds a copy that has not ended. Please run openseat copy again, which begins it anew.",
      );
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
    const { stream, after, count, lines, hash, due, status, summary, rows, effects } = append;
    const advanced = after === 0 ? this.#addStream(append) : this.#findAt(stream, after);
    if (!advanced) return "conflict";
    const { number } = advanced;
    this.#sql("UPDATE streams SET version = ?, hash = ?, summary = ? WHERE number = ?").run(
      after + count,
      hash,
      summary,
      number,
    );
    // These are indexed, and rarely change: rewriting two indexes for every join would cost more than the join.
    if (advanced.status !== status || advanced.due !== (due ?? null)) {
      this.#sql("UPDATE streams SET status = ?, due = ? WHERE number = ?").run(status, due ?? null, number);
    }
    this.#sql("INSERT INTO batches (stream, first, count, lines, hash) VALUES (?, ?, ?, ?, ?)").run(
      number,
      after + 1,
      count,
      lines,
      hash,
    );
    if (rows !== undefined) this.#ladders.write(number, JSON.parse(rows));
    if (effects !== undefined) this.#outbox.write(number, JSON.parse(effects));
    return "appended";
  }

  #addStream({ stream, creator }: PackedAppend): StreamRow | undefined {
    return this.#sql(statement("add")).get(stream, stream.slice(0, stream.indexOf("/")), creator ?? null) as
      | StreamRow
      | undefined;
  }

  /** LG1: the stream, if it is at that version. */
  #findAt(stream: StreamName, version: number): StreamRow | undefined {
    return this.#sql("SELECT number, status, due FROM streams WHERE name = ? AND version = ?").get(
      stream,
      version,
    ) as StreamRow | undefined;
  }

  head(stream: StreamName): Head | undefined {
    return this.#sql("SELECT version, hash FROM streams WHERE name = ?").get(stream) as Head | undefined;
  }

  read(stream: StreamName, after: number, limit: number): StoredBatch[] {
    const found: StoredBatch[] = [];
    let entries = 0;
    let characters = 0;
    const rows = this.#sql(statement("read")).iterate(stream, after + 1) as Iterable<{
      first: number;
      count: number;
      lines: string;
      hash: string;
    }>;
    for (const { first, count, lines, hash } of rows) {
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
    const row = this.#sql(statement("line")).get(stream, version) as
      | { first: number; lines: string }
      | undefined;
    return row?.lines.split("\n", version - row.first + 1)[version - row.first];
  }

  list({ kind, status, isLive, before, limit }: ListQuery): Listed[] {
    const ofStatus = `${status === undefined ? "" : "AND status = ?"} ${isLive ? `AND status <> '${endedStatus}'` : ""}`;
    const rows = this.#sql(
      `SELECT number, name, status, summary FROM streams
       WHERE kind = ? AND number < ? ${ofStatus} ORDER BY number DESC LIMIT ?`,
    ).all(kind, before ?? Number.MAX_SAFE_INTEGER, ...(status === undefined ? [] : [status]), limit);
    return rows.map((row) => ({
      stream: row.name as StreamName,
      number: row.number as number,
      status: row.status as string,
      summary: JSON.parse(row.summary as string),
    }));
  }

  countLive({ creator, kinds, limit }: LiveQuery): number {
    const row = this.#sql(
      `SELECT count(*) AS count FROM (
         SELECT 1 FROM streams WHERE creator = ? AND status <> '${endedStatus}'
         AND kind IN (${kinds.map(() => "?").join(", ")}) LIMIT ?)`,
    ).get(creator, ...kinds, limit);
    return row?.count as number;
  }

  due(now: Millis, limit: number): StreamName[] {
    const rows = this.#sql("SELECT name FROM streams WHERE due <= ? ORDER BY due LIMIT ?").all(now, limit);
    return rows.map((row) => row.name as StreamName);
  }

  nextDue(now: Millis): Millis | undefined {
    const row = this.#sql("SELECT min(due) AS due FROM streams WHERE due > ?").get(now);
    return (row?.due ?? undefined) as Millis | undefined;
  }

  matches(query: MatchQuery): MatchRecord[] {
    return this.#ladders.matches(query);
  }

  played(query: PlayedQuery): Played {
    return this.#ladders.played(query);
  }

  playersNamed(stream: StreamName, start: string, limit: number): PlayerNumber[] {
    return this.#ladders.playersNamed(stream, start, limit);
  }

  outbox(after: number, limit: number): Outgoing[] {
    return this.#outbox.waiting(after, limit);
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

  outboxOf(route: Route, span: Span, limit: number): Outgoing[] {
    return this.#outbox.waitingOn(route, span, limit);
  }

  delivered(numbers: readonly number[]): void {
    this.#inTransaction(() => this.#outbox.remove(numbers));
  }

  undeliverable(numbers: readonly number[], reason: string, at: Millis): void {
    this.#inTransaction(() => this.#outbox.setAside(numbers, reason, at));
  }

  deadLetters(before: number | undefined, limit: number): DeadLetter[] {
    return this.#outbox.deadLetters(before, limit);
  }

  discard(number: number): boolean {
    return this.#inTransaction(() => this.#outbox.discard(number));
  }

  resend(number: number): Outgoing | undefined {
    return this.#inTransaction(() => this.#outbox.resend(number));
  }

  saveSnapshotPart(stream: StreamName, version: number, part: number, bytes: Uint8Array, head?: Head): void {
    this.#inTransaction(() => this.#snapshots.savePart(stream, version, part, bytes, head));
  }

  dropStaleParts(stream: StreamName): boolean {
    return this.#inTransaction(() => this.#snapshots.dropStaleParts(stream));
  }

  snapshotVersion(stream: StreamName): number {
    return this.#snapshots.version(stream);
  }

  snapshotPart(stream: StreamName, part: number): SnapshotPart | undefined {
    return this.#snapshots.part(stream, part);
  }

  loadSnapshot(stream: StreamName): Snapshot | undefined {
    return this.#snapshots.load(stream);
  }

  newest(): LogHead {
    return headOf(this.#db);
  }

  markHeaded(): void {
    markHeaded(this.#db);
  }

  /** Fails when nothing more should be written here; after a full disk, also until something can be written again. */
  inspect(wasFull: boolean): void {
    this.#files?.assertAll();
    if (!wasFull) return;
    assertSpace(this.#folder);
    this.#inTransaction(() => this.#db.exec(`PRAGMA user_version = ${migrations.length}`));
  }

  close(): void {
    this.#db.close();
  }

  #inTransaction<T>(work: () => T): T {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#db.exec("COMMIT");
      // Only now: a folder that was removed before the commit must not be acknowledged.
      this.#files?.assertDatabase();
      return result;
    } catch (error) {
      // A failed flush may have rolled back by itself already.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  #sql(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#db.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}
