import { Worker } from "node:worker_threads";
import { type CommitOutcome, commitAsOwner, type Decide, type Wanted } from "../commit.ts";
import type { LadderStore } from "../ladder-store.ts";
import {
  type Append,
  type AppendOutcome,
  type FlushObserver,
  type Head,
  type Log,
  LogUnavailable,
  LogUnusable,
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
  /** LG8: also opens a log that went back. */
  readonly acceptsLoss?: boolean;
  /** Receives sentences for operators. */
  readonly onNotice?: (notice: string) => void;
  /** Timeout per call. */
  readonly timeoutMs?: number;
  /** Called with the reason when the log cannot be used, and again only when the reason changes. */
  readonly onFailure?: (failure: LogUnavailable) => void;
  readonly onRecovered?: () => void;
}

/** Calls that may wait for the thread. Further ones are refused, except appends. */
const callsMax = 100_000;

type Method = keyof SqliteStore;
type Ask<M extends Method> = (...args: Parameters<SqliteStore[M]>) => Promise<ReturnType<SqliteStore[M]>>;

/** Reads that the thread receives at a time: an append never waits for more than these. All other calls are sent at once. */
const readsAtOnceMax = 4;
/** Each takes a few microseconds, and sending them one by one would cost more than the read. */
const shortReadsAtOnceMax = 64;
/** Each waits for the disk. When ten thousand rooms leave memory at once, nobody else may wait for their snapshots. */
const snapshotsAtOnceMax = 1;

const queued: readonly { readonly atOnceMax: number; readonly methods: readonly Method[] }[] = [
  // Anybody can trigger these at any rate.
  {
    atOnceMax: readsAtOnceMax,
    methods: [
      ...(["read", "list", "countLive", "sizes", "loadSnapshot", "snapshotPart", "deadLetters"] as const),
      ...(["matches", "played", "playersNamed"] as const),
    ],
  },
  { atOnceMax: shortReadsAtOnceMax, methods: ["head", "line", "snapshotVersion"] },
  { atOnceMax: snapshotsAtOnceMax, methods: ["saveSnapshotPart", "dropStaleParts"] },
];
const queueOf = new Map(
  queued.flatMap(({ methods }, queue) => methods.map((method) => [method, queue] as const)),
);

/** Methods that a full disk refuses. Everything else still works, so rooms can be read. */
const writes: ReadonlySet<Method> = new Set<Method>([
  ...(["append", "delivered", "undeliverable", "discard", "resend"] as const),
  ...(["saveSnapshotPart", "dropStaleParts"] as const),
]);

class LogFull extends LogUnavailable {}

/** The embedded log: SQLite in its own thread, with one flush for all appends of a commit. */
export class SqliteLog implements Log {
  readonly shards = 1;
  readonly commitStreamsMax = Number.POSITIVE_INFINITY;
  readonly dueLateMs = Number.POSITIVE_INFINITY;
  readonly outboxLateMs = 0;
  readonly ladders: LadderStore = {
    matches: this.#asks("matches"),
    played: this.#asks("played"),
    playersNamed: this.#asks("playersNamed"),
  };
  readonly head = this.#asks("head");
  readonly read = this.#asks("read");
  readonly line = this.#asks("line");
  readonly list = this.#asks("list");
  readonly countLive = this.#asks("countLive");
  readonly due = this.#asks("due");
  readonly nextDue = this.#asks("nextDue");
  readonly sizes = this.#asks("sizes");
  readonly outbox = this.#asks("outbox");
  readonly outboxOf = this.#asks("outboxOf");
  readonly delivered = this.#asks("delivered");
  readonly undeliverable = this.#asks("undeliverable");
  readonly deadLetters = this.#asks("deadLetters");
  readonly discard = this.#asks("discard");
  readonly resend = this.#asks("resend");
  readonly loadSnapshot = this.#asks("loadSnapshot");
  readonly snapshotVersion = this.#asks("snapshotVersion");
  readonly snapshotPart = this.#asks("snapshotPart");
  readonly #append = this.#asks("append");
  readonly #savePart = this.#asks("saveSnapshotPart");
  readonly #dropStaleParts = this.#asks("dropStaleParts");
  readonly #writer: Worker;
  readonly #terms: SqliteTerms;
  readonly #pending: PendingCalls;
  readonly #late: LogUnavailable;
  #calls = 0;
  readonly #queues: readonly CallQueue<Call>[];
  readonly #head: HeadKeeper;
  #failure: LogUnavailable | undefined;
  /** The latest `inspect` call, until the thread answers it. */
  #inspection: number | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #gone: Error | undefined;

  private constructor(writer: Worker, folder: string, terms: SqliteTerms, timeoutMs: number) {
    this.#writer = writer;
    this.#terms = terms;
    this.#pending = new PendingCalls(timeoutMs);
    this.#late = unavailable(new Error(`the disk has not answered for ${timeoutMs / 1000} s`));
    const isWanted = ({ id }: Call) => this.#pending.has(id);
    this.#queues = queued.map(
      ({ atOnceMax }) => new CallQueue(atOnceMax, (call) => this.#send(call), isWanted),
    );
    this.#head = new HeadKeeper({
      folder,
      newest: this.#asks("newest"),
      onError: ({ message }) => terms.onNotice?.(`The head file of the log cannot be written: ${message}.`),
    });
    writer.on("message", (reply: Reply) => this.#answer(reply));
    writer.on("error", (error) => this.#lose(error as Error));
    writer.on("exit", () => this.#lose(new Error("its thread has ended")));
  }

  /** Rejects with `FolderTaken` if another process owns the folder. */
  static async open(folder: string, terms: SqliteTerms = {}): Promise<SqliteLog> {
    const { acceptsLoss = false, onNotice, timeoutMs = 5_000 } = terms;
    const writer = new Worker(new URL("./writer.ts", import.meta.url), {
      workerData: { folder, acceptsLoss },
      // Flags of a program that contains the server, such as --input-type, would keep the thread from starting.
      execArgv: [],
    });
    const log = new SqliteLog(writer, folder, terms, timeoutMs);
    // A migration may take long, so opening has no timeout.
    const slow = setTimeout(() => onNotice?.(slowOpening(folder, timeoutMs)), timeoutMs);
    const loss = await new Promise<string | undefined>((resolve, reject) =>
      log.#pending.add(0, { resolve, reject }),
    ).finally(() => clearTimeout(slow));
    log.#ticking = setInterval(() => log.#tick(), tickMs).unref();
    if (loss !== undefined) onNotice?.(`The loss was accepted. ${loss}`);
    await log.#beginHead();
    return log;
  }

  async #beginHead(): Promise<void> {
    try {
      await this.#head.begin();
      await this.#asks("markHeaded")();
    } catch (cause) {
      await this.close();
      throw new LogUnusable(`The head file of the log cannot be written: ${(cause as Error).message}.`, {
        cause,
      });
    }
  }

  get failure(): LogUnavailable | undefined {
    return this.#failure;
  }

  join<Membership>(roles: Roles<Membership>): Membership {
    return roles.owner();
  }

  commit(wanted: readonly Wanted[], decide: Decide): Promise<CommitOutcome[]> {
    // Refuse now: a decision could not be written, and would drop the rooms from memory.
    if (this.#failure) return Promise.reject(this.#failure);
    return commitAsOwner((appends) => this.#write(appends), wanted, decide);
  }

  async #write(appends: readonly Append[]): Promise<AppendOutcome[]> {
    const started = performance.now();
    const outcomes = await this.#append(appends.map(pack));
    let entries = 0;
    for (const { lines } of appends) entries += lines.length;
    this.#terms.onFlush?.({ entries, seconds: (performance.now() - started) / 1000 });
    return outcomes;
  }

  heads(streams: readonly StreamName[]): Promise<(Head | undefined)[]> {
    return Promise.all(streams.map((stream) => this.head(stream)));
  }

  async saveSnapshot(
    stream: StreamName,
    { parts, ...head }: Head & { parts: Iterable<Uint8Array> },
  ): Promise<void> {
    const { version } = head;
    let part = 0;
    let bytes: Uint8Array | undefined;
    for (const next of parts) {
      if (bytes) await this.#savePart(stream, version, part++, bytes);
      bytes = next;
    }
    if (bytes) await this.#savePart(stream, version, part, bytes, head);
    while (await this.#dropStaleParts(stream));
  }

  async close(): Promise<void> {
    if (this.#gone) return;
    await this.#head.end();
    clearInterval(this.#ticking);
    const ended = new Promise((resolve) => this.#writer.once("exit", resolve));
    await this.#ask("close", []);
    await ended;
  }

  #asks<M extends Method>(method: M): Ask<M> {
    return (...args) => {
      if (this.#gone) return Promise.reject(unavailable(this.#gone));
      if (this.#failure && !this.#mayAnswer(method)) return Promise.reject(this.#failure);
      // While the disk stalls, readers pile up. Writers are bounded by their mailboxes and must get through.
      if (this.#pending.size >= callsMax && method !== "append")
        return Promise.reject(unavailable(new Error("too many requests are waiting for it")));
      return this.#ask(method, args);
    };
  }

  #mayAnswer(method: Method): boolean {
    return this.#failure instanceof LogFull && !writes.has(method);
  }

  #ask<M extends Method>(method: M, args: Parameters<SqliteStore[M]>): Promise<ReturnType<SqliteStore[M]>> {
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#pending.add(id, { resolve, reject });
      const call = { id, method, args } as Call;
      const queue = queueOf.get(method);
      if (queue === undefined) this.#send(call);
      else this.#queues[queue].push(call);
    });
  }

  #send(call: Call): void {
    this.#pending.noteSent(call.id);
    this.#writer.postMessage(call);
  }

  /**
   * LG10: while the thread hangs, it gets no new calls. When it answers the inspection, it has answered all earlier calls too.
   */
  #tick(): void {
    if (this.#pending.expire(this.#late)) this.#stumble(this.#late);
    if (this.#inspection !== undefined) return;
    this.#inspection = this.#calls + 1;
    this.#ask("inspect", [this.#failure instanceof LogFull]).then(
      () => this.#recover(),
      (error) => this.#stumble(error),
    );
  }

  #stumble(failure: LogUnavailable): void {
    const isNew = this.#failure?.message !== failure.message;
    this.#failure = failure;
    if (isNew) this.#terms.onFailure?.(failure);
  }

  #recover(): void {
    if (!this.#failure) return;
    this.#failure = undefined;
    this.#terms.onRecovered?.();
  }

  #answer(reply: Reply): void {
    if (reply.id === this.#inspection) this.#inspection = undefined;
    const waiting = this.#pending.take(reply.id);
    for (const queue of this.#queues) queue.answered(reply.id);
    if ("result" in reply) waiting?.resolve(reply.result as never);
    else if (reply.name === "FolderTaken") waiting?.reject(new FolderTaken(reply.error));
    // A log that cannot be opened is a permanent failure.
    else if (reply.id === 0) waiting?.reject(new LogUnusable(reply.error));
    else {
      const error = unavailable(new Error(reply.error), reply.name === "DiskFull" ? LogFull : LogUnavailable);
      if (reply.name === "FolderLost" || reply.name === "DiskFull") this.#stumble(error);
      waiting?.reject(error);
    }
  }

  /** The thread has ended: rejects every call that would otherwise wait forever. */
  #lose(error: Error): void {
    this.#gone ??= error;
    this.#head.stop();
    clearInterval(this.#ticking);
    this.#pending.rejectAll(unavailable(error));
  }
}

function slowOpening(folder: string, ms: number): string {
  return `The data folder ${folder} is not open after ${ms / 1000} s. The start keeps waiting: the log may be large, or the disk may hang.`;
}

function unavailable(cause: Error, Kind = LogUnavailable): LogUnavailable {
  return new Kind(`The log cannot be used at the moment: ${cause.message}.`, { cause });
}
