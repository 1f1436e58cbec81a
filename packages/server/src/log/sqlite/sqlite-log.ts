import { Worker } from "node:worker_threads";
import type { Millis, PlayerNumber } from "@openseat/kernel";
import type { MatchQuery, MatchRecord, Played, PlayedQuery } from "../ladder-records.ts";
import {
  type Append,
  type AppendOutcome,
  type DeadLetter,
  type FlushObserver,
  type Head,
  type Listed,
  type ListQuery,
  type LiveQuery,
  type Log,
  LogUnavailable,
  LogUnusable,
  type Outgoing,
  type Route,
  type Snapshot,
  type SnapshotPart,
  type Span,
  type StoredBatch,
  type StreamName,
} from "../log.ts";
import { CallQueue } from "./call-queue.ts";
import { HeadKeeper } from "./head-keeper.ts";
import { FolderTaken } from "./owner.ts";
import { pack, type SqliteStore } from "./store.ts";
import type { Call, Reply } from "./writer.ts";

interface Waiting {
  resolve(value: never): void;
  reject(error: Error): void;
}

/** Calls that may wait for the thread; past it, reading is refused. */
const callsMax = 100_000;
/** Reads and snapshots that the thread is given at a time: an append never waits for more than these. */
const readsAtOnceMax = 4;
/** Each takes some microseconds, and to hand them over one by one would cost more than the reading. */
const shortReadsAtOnceMax = 64;
const snapshotsAtOnceMax = 1;

/** What anybody can cause, as often as they like: it must not delay what others write. */
const reads: ReadonlySet<keyof SqliteStore> = new Set<keyof SqliteStore>([
  ...(["read", "list", "countLive", "loadSnapshot", "snapshotPart", "deadLetters"] as const),
  ...(["matches", "played", "playersNamed"] as const),
]);
/** The same, of one row by its key. */
const shortReads: ReadonlySet<keyof SqliteStore> = new Set<keyof SqliteStore>(["head", "line"]);
/** Each waits for the disk. When ten thousand rooms leave memory at once, nobody else may wait for their snapshots. */
const snapshots: ReadonlySet<keyof SqliteStore> = new Set<keyof SqliteStore>([
  "saveSnapshotPart",
  "dropStaleParts",
]);

interface SqliteTerms {
  readonly onFlush?: FlushObserver;
  /** LG8: opens a log that went back, too. */
  readonly acceptsLoss?: boolean;
  /** Told in a sentence what an operator should know of. */
  readonly onNotice?: (notice: string) => void;
}

/** The embedded log: SQLite in a thread of its own, one flush for all the appends of a turn. */
export class SqliteLog implements Log {
  readonly #writer: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #onFlush: FlushObserver;
  #calls = 0;
  readonly #reads = new CallQueue<Call>(readsAtOnceMax, (call) => this.#writer.postMessage(call));
  readonly #shortReads = new CallQueue<Call>(shortReadsAtOnceMax, (call) => this.#writer.postMessage(call));
  readonly #snapshots = new CallQueue<Call>(snapshotsAtOnceMax, (call) => this.#writer.postMessage(call));
  readonly #head: HeadKeeper;
  #gone: Error | undefined;

  private constructor(writer: Worker, folder: string, { onFlush, onNotice }: SqliteTerms) {
    this.#writer = writer;
    this.#onFlush = onFlush ?? (() => {});
    this.#head = new HeadKeeper({
      folder,
      newest: () => this.#call("newest"),
      onError: ({ message }) => onNotice?.(`The head file of the log cannot be written: ${message}.`),
    });
    writer.on("message", (reply: Reply) => this.#answer(reply));
    writer.on("error", (error) => this.#lose(error as Error));
    writer.on("exit", () => this.#lose(new Error("its thread has ended")));
  }

  /** Rejects with `FolderTaken` when another process owns the folder. */
  static async open(folder: string, terms: SqliteTerms = {}): Promise<SqliteLog> {
    const { acceptsLoss = false, onNotice } = terms;
    const writer = new Worker(new URL("./writer.ts", import.meta.url), {
      workerData: { folder, acceptsLoss },
    });
    const log = new SqliteLog(writer, folder, terms);
    const loss = await new Promise<string | undefined>((resolve, reject) =>
      log.#waiting.set(0, { resolve, reject }),
    );
    if (loss !== undefined) onNotice?.(`The loss was accepted. ${loss}`);
    await log.#beginHead();
    return log;
  }

  async #beginHead(): Promise<void> {
    try {
      await this.#head.begin();
      await this.#call("markHeaded");
    } catch (cause) {
      await this.close();
      throw new LogUnusable(`The head file of the log cannot be written: ${(cause as Error).message}.`, {
        cause,
      });
    }
  }

  async append(appends: readonly Append[]): Promise<AppendOutcome[]> {
    const started = performance.now();
    const outcomes = await this.#call("append", appends.map(pack));
    let entries = 0;
    for (const { lines } of appends) entries += lines.length;
    this.#onFlush({ entries, seconds: (performance.now() - started) / 1000 });
    return outcomes;
  }

  head(stream: StreamName): Promise<Head | undefined> {
    return this.#call("head", stream);
  }

  read(stream: StreamName, after: number, limit: number): Promise<StoredBatch[]> {
    return this.#call("read", stream, after, limit);
  }

  line(stream: StreamName, version: number): Promise<string | undefined> {
    return this.#call("line", stream, version);
  }

  list(query: ListQuery): Promise<Listed[]> {
    return this.#call("list", query);
  }

  countLive(query: LiveQuery): Promise<number> {
    return this.#call("countLive", query);
  }

  due(now: Millis, limit: number): Promise<StreamName[]> {
    return this.#call("due", now, limit);
  }

  nextDue(now: Millis): Promise<Millis | undefined> {
    return this.#call("nextDue", now);
  }

  matches(query: MatchQuery): Promise<MatchRecord[]> {
    return this.#call("matches", query);
  }

  played(query: PlayedQuery): Promise<Played> {
    return this.#call("played", query);
  }

  playersNamed(stream: StreamName, start: string, limit: number): Promise<PlayerNumber[]> {
    return this.#call("playersNamed", stream, start, limit);
  }

  outbox(after: number, limit: number): Promise<Outgoing[]> {
    return this.#call("outbox", after, limit);
  }

  outboxOf(route: Route, span: Span, limit: number): Promise<Outgoing[]> {
    return this.#call("outboxOf", route, span, limit);
  }

  delivered(numbers: readonly number[]): Promise<void> {
    return this.#call("delivered", numbers);
  }

  undeliverable(numbers: readonly number[], reason: string, at: Millis): Promise<void> {
    return this.#call("undeliverable", numbers, reason, at);
  }

  deadLetters(before: number | undefined, limit: number): Promise<DeadLetter[]> {
    return this.#call("deadLetters", before, limit);
  }

  discard(number: number): Promise<boolean> {
    return this.#call("discard", number);
  }

  resend(number: number): Promise<Outgoing | undefined> {
    return this.#call("resend", number);
  }

  async saveSnapshot(
    stream: StreamName,
    { parts, ...head }: Head & { parts: Iterable<Uint8Array> },
  ): Promise<void> {
    const { version } = head;
    let part = 0;
    let bytes: Uint8Array | undefined;
    for (const next of parts) {
      if (bytes) await this.#call("saveSnapshotPart", stream, version, part++, bytes);
      bytes = next;
    }
    if (bytes) await this.#call("saveSnapshotPart", stream, version, part, bytes, head);
    while (await this.#call("dropStaleParts", stream));
  }

  loadSnapshot(stream: StreamName): Promise<Snapshot | undefined> {
    return this.#call("loadSnapshot", stream);
  }

  snapshotPart(stream: StreamName, part: number): Promise<SnapshotPart | undefined> {
    return this.#call("snapshotPart", stream, part);
  }

  async close(): Promise<void> {
    if (this.#gone) return;
    await this.#head.end();
    const ended = new Promise((resolve) => this.#writer.once("exit", resolve));
    await this.#call("close");
    await ended;
  }

  #call<Method extends keyof SqliteStore>(
    method: Method,
    ...args: Parameters<SqliteStore[Method]>
  ): Promise<ReturnType<SqliteStore[Method]>> {
    if (this.#gone) return Promise.reject(unavailable(this.#gone));
    // While the disk stalls, readers pile up; writers are bounded by their mailboxes, and must get through.
    if (this.#waiting.size >= callsMax && method !== "append" && method !== "close") {
      return Promise.reject(unavailable(new Error("too many are waiting for it")));
    }
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const call = { id, method, args } as Call;
      if (reads.has(method)) this.#reads.push(call);
      else if (shortReads.has(method)) this.#shortReads.push(call);
      else if (snapshots.has(method)) this.#snapshots.push(call);
      else this.#writer.postMessage(call);
    });
  }

  #answer(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    this.#reads.answered(reply.id);
    this.#shortReads.answered(reply.id);
    this.#snapshots.answered(reply.id);
    if ("result" in reply) waiting?.resolve(reply.result as never);
    else if (reply.name === "FolderTaken") waiting?.reject(new FolderTaken(reply.error));
    // A log that cannot be opened is no passing trouble.
    else waiting?.reject(reply.id === 0 ? new LogUnusable(reply.error) : unavailable(new Error(reply.error)));
  }

  /** Without its thread the log can do nothing more: whoever waits is told, rather than left waiting for ever. */
  #lose(error: Error): void {
    this.#gone ??= error;
    this.#head.stop();
    for (const { reject } of this.#waiting.values()) reject(unavailable(error));
    this.#waiting.clear();
  }
}

function unavailable(cause: Error): LogUnavailable {
  return new LogUnavailable(`The log cannot be used just now: ${cause.message}.`, { cause });
}
