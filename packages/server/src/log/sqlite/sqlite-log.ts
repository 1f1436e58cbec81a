import { Worker } from "node:worker_threads";
import type { Millis } from "@openseat/kernel";
import { type CommitOutcome, commitAsOwner, type Decide, type Wanted } from "../commit.ts";
import type { LadderStore } from "../ladder-store.ts";
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
  type StoreSizes,
  type StreamName,
} from "../log.ts";
import type { Roles } from "../sharing.ts";
import { CallQueue } from "./call-queue.ts";
import { HeadKeeper } from "./head-keeper.ts";
import { FolderTaken } from "./owner.ts";
import { PendingCalls, tickMs } from "./pending-calls.ts";
import { pack, type SqliteStore } from "./store.ts";
import type { Call, Reply } from "./writer.ts";

export interface SqliteTerms {
  readonly onFlush?: FlushObserver;
  /** LG8: opens a log that went back, too. */
  readonly acceptsLoss?: boolean;
  /** Told in a sentence what an operator should know of. */
  readonly onNotice?: (notice: string) => void;
  /** How long a call may take. */
  readonly timeoutMs?: number;
  /** The log cannot be used, and why. Called again only when the reason changes. */
  readonly onTrouble?: (trouble: LogUnavailable) => void;
  readonly onRecovered?: () => void;
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
  ...(["read", "list", "countLive", "sizes", "loadSnapshot", "snapshotPart", "deadLetters"] as const),
  ...(["matches", "played", "playersNamed"] as const),
]);
/** The same, of one row by its key. */
const shortReads: ReadonlySet<keyof SqliteStore> = new Set<keyof SqliteStore>([
  "head",
  "line",
  "snapshotVersion",
]);
/** Each waits for the disk. When ten thousand rooms leave memory at once, nobody else may wait for their snapshots. */
const snapshots: ReadonlySet<keyof SqliteStore> = new Set<keyof SqliteStore>([
  "saveSnapshotPart",
  "dropStaleParts",
]);

/** What a full disk refuses. All else is answered meanwhile: rooms can be read. */
const writes: ReadonlySet<keyof SqliteStore> = new Set<keyof SqliteStore>([
  ...(["append", "delivered", "undeliverable", "discard", "resend"] as const),
  ...(["saveSnapshotPart", "dropStaleParts"] as const),
]);

/** The disk is full: nothing was written, and nothing can be until there is space. */
class LogFull extends LogUnavailable {}

const defaults: Required<SqliteTerms> = {
  onFlush: () => {},
  acceptsLoss: false,
  onNotice: () => {},
  timeoutMs: 5_000,
  onTrouble: () => {},
  onRecovered: () => {},
};

/** The embedded log: SQLite in a thread of its own, one flush for all the appends of a turn. */
export class SqliteLog implements Log {
  readonly shards = 1;
  readonly commitStreamsMax = Number.POSITIVE_INFINITY;
  readonly dueLateMs = Number.POSITIVE_INFINITY;
  readonly outboxLateMs = 0;
  readonly ladders: LadderStore = {
    matches: (query) => this.#call("matches", query),
    played: (query) => this.#call("played", query),
    playersNamed: (stream, start, limit) => this.#call("playersNamed", stream, start, limit),
  };
  readonly #writer: Worker;
  readonly #terms: Required<SqliteTerms>;
  readonly #pending: PendingCalls;
  readonly #late: LogUnavailable;
  #calls = 0;
  readonly #reads = this.#newQueue(readsAtOnceMax);
  readonly #shortReads = this.#newQueue(shortReadsAtOnceMax);
  readonly #snapshots = this.#newQueue(snapshotsAtOnceMax);
  readonly #head: HeadKeeper;
  #trouble: LogUnavailable | undefined;
  /** The latest call of `inspect`, until the thread has answered it, however late. */
  #inspection: number | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #gone: Error | undefined;

  private constructor(writer: Worker, folder: string, terms: Required<SqliteTerms>) {
    this.#writer = writer;
    this.#terms = terms;
    this.#pending = new PendingCalls(terms.timeoutMs);
    this.#late = unavailable(new Error(`the disk has not answered for ${terms.timeoutMs / 1000} s`));
    this.#head = new HeadKeeper({
      folder,
      newest: () => this.#call("newest"),
      onError: ({ message }) => terms.onNotice(`The head file of the log cannot be written: ${message}.`),
    });
    writer.on("message", (reply: Reply) => this.#answer(reply));
    writer.on("error", (error) => this.#lose(error as Error));
    writer.on("exit", () => this.#lose(new Error("its thread has ended")));
  }

  /** Rejects with `FolderTaken` when another process owns the folder. */
  static async open(folder: string, terms: SqliteTerms = {}): Promise<SqliteLog> {
    const all = { ...defaults, ...terms };
    const { acceptsLoss, onNotice, timeoutMs } = all;
    const writer = new Worker(new URL("./writer.ts", import.meta.url), {
      workerData: { folder, acceptsLoss },
    });
    const log = new SqliteLog(writer, folder, all);
    // A migration may take long, so this has no limit.
    const slow = setTimeout(() => onNotice(slowOpening(folder, timeoutMs)), timeoutMs);
    const loss = await new Promise<string | undefined>((resolve, reject) =>
      log.#pending.add(0, { resolve, reject }),
    ).finally(() => clearTimeout(slow));
    log.#ticking = setInterval(() => log.#tick(), tickMs).unref();
    if (loss !== undefined) onNotice(`The loss was accepted. ${loss}`);
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

  get trouble(): LogUnavailable | undefined {
    return this.#trouble;
  }

  join<Membership>(roles: Roles<Membership>): Membership {
    return roles.owner();
  }

  commit(wanted: readonly Wanted[], decide: Decide): Promise<CommitOutcome[]> {
    // What is decided now would come to nothing, and cost the rooms their memory.
    if (this.#trouble) return Promise.reject(this.#trouble);
    return commitAsOwner((appends) => this.#append(appends), wanted, decide);
  }

  /** All of them in one flush; each succeeds or conflicts by itself. */
  async #append(appends: readonly Append[]): Promise<AppendOutcome[]> {
    const started = performance.now();
    const outcomes = await this.#call("append", appends.map(pack));
    let entries = 0;
    for (const { lines } of appends) entries += lines.length;
    this.#terms.onFlush({ entries, seconds: (performance.now() - started) / 1000 });
    return outcomes;
  }

  head(stream: StreamName): Promise<Head | undefined> {
    return this.#call("head", stream);
  }

  heads(streams: readonly StreamName[]): Promise<(Head | undefined)[]> {
    return Promise.all(streams.map((stream) => this.head(stream)));
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

  outbox(after: number, limit: number): Promise<Outgoing[]> {
    return this.#call("outbox", after, limit);
  }

  sizes(): Promise<StoreSizes> {
    return this.#call("sizes");
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

  snapshotVersion(stream: StreamName): Promise<number> {
    return this.#call("snapshotVersion", stream);
  }

  snapshotPart(stream: StreamName, part: number): Promise<SnapshotPart | undefined> {
    return this.#call("snapshotPart", stream, part);
  }

  async close(): Promise<void> {
    if (this.#gone) return;
    await this.#head.end();
    clearInterval(this.#ticking);
    const ended = new Promise((resolve) => this.#writer.once("exit", resolve));
    await this.#ask("close", []);
    await ended;
  }

  #call<Method extends keyof SqliteStore>(
    method: Method,
    ...args: Parameters<SqliteStore[Method]>
  ): Promise<ReturnType<SqliteStore[Method]>> {
    if (this.#gone) return Promise.reject(unavailable(this.#gone));
    if (this.#trouble && !this.#mayAnswer(method)) return Promise.reject(this.#trouble);
    // While the disk stalls, readers pile up; writers are bounded by their mailboxes, and must get through.
    if (this.#pending.size >= callsMax && method !== "append") {
      return Promise.reject(unavailable(new Error("too many are waiting for it")));
    }
    return this.#ask(method, args);
  }

  #mayAnswer(method: keyof SqliteStore): boolean {
    return this.#trouble instanceof LogFull && !writes.has(method);
  }

  #ask<Method extends keyof SqliteStore>(
    method: Method,
    args: Parameters<SqliteStore[Method]>,
  ): Promise<ReturnType<SqliteStore[Method]>> {
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#pending.add(id, { resolve, reject });
      const call = { id, method, args } as Call;
      if (reads.has(method)) this.#reads.push(call);
      else if (shortReads.has(method)) this.#shortReads.push(call);
      else if (snapshots.has(method)) this.#snapshots.push(call);
      else this.#send(call);
    });
  }

  #newQueue(atOnceMax: number): CallQueue<Call> {
    return new CallQueue(
      atOnceMax,
      (call) => this.#send(call),
      ({ id }) => this.#pending.has(id),
    );
  }

  #send(call: Call): void {
    this.#pending.noteSent(call.id);
    this.#writer.postMessage(call);
  }

  /** LG10: while the thread hangs nothing more is given to it. When it answers the inspection, all calls before it are answered too. */
  #tick(): void {
    if (this.#pending.expire(this.#late)) this.#stumble(this.#late);
    if (this.#inspection !== undefined) return;
    this.#inspection = this.#calls + 1;
    this.#ask("inspect", [this.#trouble instanceof LogFull]).then(
      () => this.#recover(),
      (error) => this.#stumble(error),
    );
  }

  #stumble(trouble: LogUnavailable): void {
    const isNew = this.#trouble?.message !== trouble.message;
    this.#trouble = trouble;
    if (isNew) this.#terms.onTrouble(trouble);
  }

  #recover(): void {
    if (!this.#trouble) return;
    this.#trouble = undefined;
    this.#terms.onRecovered();
  }

  #answer(reply: Reply): void {
    if (reply.id === this.#inspection) this.#inspection = undefined;
    const waiting = this.#pending.take(reply.id);
    this.#reads.answered(reply.id);
    this.#shortReads.answered(reply.id);
    this.#snapshots.answered(reply.id);
    if ("result" in reply) waiting?.resolve(reply.result as never);
    else if (reply.name === "FolderTaken") waiting?.reject(new FolderTaken(reply.error));
    // A log that cannot be opened is no passing trouble.
    else if (reply.id === 0) waiting?.reject(new LogUnusable(reply.error));
    else {
      const error = unavailable(new Error(reply.error), reply.name === "DiskFull" ? LogFull : LogUnavailable);
      if (reply.name === "FolderLost" || reply.name === "DiskFull") this.#stumble(error);
      waiting?.reject(error);
    }
  }

  /** Without its thread the log can do nothing more: whoever waits is told, rather than left waiting for ever. */
  #lose(error: Error): void {
    this.#gone ??= error;
    this.#head.stop();
    clearInterval(this.#ticking);
    this.#pending.rejectAll(unavailable(error));
  }
}

function slowOpening(folder: string, ms: number): string {
  return `The data folder ${folder} is not open after ${ms / 1000} s. The start goes on waiting: the log may be large, or the disk hangs.`;
}

function unavailable(cause: Error, Kind = LogUnavailable): LogUnavailable {
  return new Kind(`The log cannot be used just now: ${cause.message}.`, { cause });
}
