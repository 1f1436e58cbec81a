import type { Millis } from "@openseat/kernel";
import { type CommitOutcome, commitStreamsMax, type Decide, type Wanted } from "../commit.ts";
import { decodeEntry } from "../entry.ts";
import type { LadderStore } from "../ladder-store.ts";
import {
  type DeadLetter,
  endedStatus,
  type FlushObserver,
  type Head,
  type Listed,
  type ListQuery,
  type LiveQuery,
  type Log,
  type LogUnavailable,
  type Outgoing,
  type Route,
  type Snapshot,
  type SnapshotPart,
  type Span,
  type StoredBatch,
  type StoreSizes,
  type StreamName,
} from "../log.ts";
import { type Roles, sharingLimits } from "../sharing.ts";
import { statementsIn } from "../statements.ts";
import { Connections, type ConnectionTerms } from "./connection/connections.ts";
import { assertNotPooledByTransaction } from "./connection/pooling.ts";
import type { Row, Statement } from "./connection/session.ts";
import { LadderTables } from "./ladder-tables.ts";
import { LockedTransactions, shards } from "./locked-transactions.ts";
import { OutboxTable } from "./outbox-table.ts";
import { PostgresSharing } from "./postgres-sharing.ts";
import { migrate } from "./schema.ts";
import { SnapshotTables } from "./snapshot-tables.ts";

/** Entries differ in size by a thousand times and more: a page of large ones would hold up everybody who waits for it. */
const readCharactersMax = 2_000_000;

const statement = statementsIn(new URL("./sql/streams.sql", import.meta.url), {
  endedStatus,
  readCharactersMax,
});

/** A migration may have to go through all that there is. */
const migrationMs = 30 * 60_000;

export interface PostgresTerms extends Omit<ConnectionTerms, "url"> {
  /** Told from the names of all other nodes, also of the one that this process was before it was started anew. */
  readonly node: string;
  /** What an append cost, for the metrics. */
  readonly onFlush?: FlushObserver;
  /** What was found on opening and is not as usual, in a sentence: tables that were made, or are newer. */
  readonly onChange?: (sentence: string) => void;
}

/** The log on PostgreSQL, which any number of nodes share. */
export class PostgresLog implements Log {
  readonly shards = shards;
  readonly commitStreamsMax = commitStreamsMax;
  readonly dueLateMs = sharingLimits.beatMs;
  readonly outboxLateMs = 10_000;
  readonly sharing: PostgresSharing;
  readonly #connections: Connections;
  readonly #transactions: LockedTransactions;
  readonly ladders: LadderStore;
  readonly #outbox: OutboxTable;
  readonly #snapshots: SnapshotTables;

  private constructor(connections: Connections, { node, onFlush }: PostgresTerms) {
    this.#connections = connections;
    this.#transactions = new LockedTransactions(connections, onFlush);
    this.ladders = new LadderTables(connections);
    this.#outbox = new OutboxTable(connections);
    this.#snapshots = new SnapshotTables(connections);
    this.sharing = new PostgresSharing(connections, node);
  }

  /**
   * Rejects with `LogUnavailable` while the database cannot be used, and with `LogUnusable` when this server can do nothing
   * with it. The tables are made or brought up to date.
   */
  static async open(url: string, terms: PostgresTerms): Promise<PostgresLog> {
    let isOpen = false;
    const connections = new Connections({
      ...terms,
      url,
      // Whoever opens is told by the rejection.
      onTrouble: (trouble) => isOpen && terms.onTrouble?.(trouble),
      onRecovered: () => isOpen && terms.onRecovered?.(),
    });
    try {
      const session = await connections.connect({ statementMs: 0, answerMs: migrationMs });
      await assertNotPooledByTransaction(session, () => connections.connect());
      await migrate(session, terms.onChange);
      await session.close();
    } catch (error) {
      await connections.close();
      throw error;
    }
    isOpen = true;
    return new PostgresLog(connections, terms);
  }

  /** Why it cannot be used just now. */
  get trouble(): LogUnavailable | undefined {
    return this.#connections.trouble;
  }

  /** For what is kept beside the log, as secrets. */
  async query(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.#rows({ text, values });
  }

  join<Membership>(roles: Roles<Membership>): Membership {
    return roles.node(this.sharing);
  }

  commit(wanted: readonly Wanted[], decide: Decide): Promise<CommitOutcome[]> {
    return this.#transactions.commit(wanted, decide);
  }

  async head(stream: StreamName): Promise<Head | undefined> {
    const [head] = await this.#rows({
      text: "SELECT version, hash FROM streams WHERE name = $1",
      values: [stream],
    });
    return head;
  }

  async heads(streams: readonly StreamName[]): Promise<(Head | undefined)[]> {
    const rows = await this.#rows({
      text: "SELECT name, version, hash FROM streams WHERE name = ANY($1)",
      values: [streams],
    });
    const heads = new Map<StreamName, Head>(rows.map(({ name, version, hash }) => [name, { version, hash }]));
    return streams.map((stream) => heads.get(stream));
  }

  async read(stream: StreamName, after: number, limit: number): Promise<StoredBatch[]> {
    const rows = await this.#rows({ text: reading, values: [stream, after, limit] });
    return rows.map(({ first, lines, hash }) => ({ first, lines: lines.split("\n"), hash }));
  }

  async line(stream: StreamName, version: number): Promise<string | undefined> {
    const [row] = await this.#rows({
      text: statement("line"),
      values: [stream, version],
    });
    return row?.line;
  }

  async list({ kind, status, isLive, before, limit }: ListQuery): Promise<Listed[]> {
    const ofStatus = `${status === undefined ? "" : "AND status = $4"} ${isLive ? `AND status <> '${endedStatus}'` : ""}`;
    const rows = await this.#rows({
      text: `SELECT number, name, status, summary FROM streams
        WHERE kind = $1 AND number < $2 ${ofStatus} ORDER BY number DESC LIMIT $3`,
      values: [kind, before ?? Number.MAX_SAFE_INTEGER, limit, ...(status === undefined ? [] : [status])],
    });
    return rows.map((row) => ({
      ...{ stream: row.name, number: row.number, status: row.status },
      summary: JSON.parse(row.summary),
    }));
  }

  async countLive({ creator, kinds, limit }: LiveQuery): Promise<number> {
    const [{ count }] = await this.#rows({
      text: statement("countLive"),
      values: [creator, kinds, limit],
    });
    return Number(count);
  }

  /** One that is locked is being committed by some node, which looks after it. */
  async due(now: Millis, limit: number): Promise<StreamName[]> {
    const { rows } = await this.#connections.glance({
      text: "SELECT name FROM streams WHERE due <= $1 ORDER BY due, number LIMIT $2 FOR UPDATE SKIP LOCKED",
      values: [now, limit],
    });
    return rows.map(({ name }) => name);
  }

  async nextDue(now: Millis): Promise<Millis | undefined> {
    const [{ due }] = await this.#rows({
      text: "SELECT min(due) AS due FROM streams WHERE due > $1",
      values: [now],
    });
    return due ?? undefined;
  }

  outbox(after: number, limit: number): Promise<Outgoing[]> {
    return this.#outbox.waiting(after, limit);
  }

  async sizes(): Promise<StoreSizes> {
    const [oldest] = await this.outbox(0, 1);
    const line = oldest && (await this.line(oldest.from, oldest.version));
    return {
      ...(await this.#outbox.sizes()),
      walBytes: undefined,
      outboxOldestAt: line === undefined ? undefined : decodeEntry(line).at,
    };
  }

  outboxOf(route: Route, span: Span, limit: number): Promise<Outgoing[]> {
    return this.#outbox.waitingOn(route, span, limit);
  }

  delivered(numbers: readonly number[]): Promise<void> {
    return this.#outbox.remove(numbers);
  }

  undeliverable(numbers: readonly number[], reason: string, at: Millis): Promise<void> {
    return this.#outbox.setAside(numbers, reason, at);
  }

  deadLetters(before: number | undefined, limit: number): Promise<DeadLetter[]> {
    return this.#outbox.deadLetters(before, limit);
  }

  resend(number: number): Promise<Outgoing | undefined> {
    return this.#outbox.resend(number);
  }

  discard(number: number): Promise<boolean> {
    return this.#outbox.discard(number);
  }

  saveSnapshot(stream: StreamName, snapshot: Head & { readonly parts: Iterable<Uint8Array> }): Promise<void> {
    return this.#snapshots.save(stream, snapshot);
  }

  loadSnapshot(stream: StreamName): Promise<Snapshot | undefined> {
    return this.#snapshots.load(stream);
  }

  snapshotVersion(stream: StreamName): Promise<number> {
    return this.#snapshots.version(stream);
  }

  snapshotPart(stream: StreamName, part: number): Promise<SnapshotPart | undefined> {
    return this.#snapshots.part(stream, part);
  }

  async close(): Promise<void> {
    this.sharing.close();
    await this.#connections.close();
  }

  async #rows(statement: Statement): Promise<readonly Row[]> {
    return (await this.#connections.query(statement)).rows;
  }
}

/** The batches from the one that holds the next entry on, while those before them are less than was asked for. */
const reading = statement("read");
