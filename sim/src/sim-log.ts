import type { Millis } from "@openseat/kernel";
import {
  type Append,
  type AppendingLog,
  type AppendOutcome,
  type ClusterState,
  type CommitOutcome,
  commitAsOwner,
  type DeadLetter,
  type Decide,
  type Head,
  type LadderStore,
  type Listed,
  type ListQuery,
  type LiveQuery,
  type Log,
  LogUnavailable,
  type MatchQuery,
  type Outgoing,
  type Roles,
  type Route,
  type Sharing,
  type Snapshot,
  type SnapshotPart,
  type Span,
  type StoredBatch,
  type StoredMatch,
  type StreamName,
  type Wanted,
} from "@openseat/server";
import type { StreamAt } from "./cluster/announcements.ts";
import { isCut, type Line } from "./cluster/lines.ts";
import { Disk } from "./disk.ts";
import type { FaultKind, Faults } from "./faults.ts";
import type { Life } from "./world.ts";

/** A write under way to the store, which may arrive after its sender has died. */
interface Flight {
  land(): void;
}

/** AR9: a store that takes this long counts as down. */
const hinderedMsMin = 1_000;

/** What the store records about deliveries. */
export type Note =
  | { readonly type: "delivered"; readonly numbers: readonly number[] }
  | { readonly type: "undeliverable"; readonly numbers: readonly number[]; readonly reason: string }
  /** `item` is undefined when there was no dead letter with this number. */
  | { readonly type: "resent"; readonly number: number; readonly item: Outgoing | undefined };

/** Called for every append when it is sent, and right after the store has handled it, before the server knows. */
export interface Witness {
  setOut(life: Life, appends: readonly Append[]): void;
  /** On a shared log: the node received the answer to its heartbeat. */
  heartbeatAnswered(life: Life, state: ClusterState): void;
  /** The node learnt, from an announcement or the log, that streams have at least these versions. */
  learnt(life: Life, advanced: readonly StreamAt[]): void;
  written(append: Append): Promise<void>;
  conflicted(append: Append): void;
  /** An append, or the query for due work, failed or was answered late. */
  hindered(): void;
  /** A server is about to fetch messages for delivery, or to record their outcome. */
  delivering(life: Life): void;
  handedOut(items: readonly Outgoing[]): void;
  noted(note: Note): void;
}

/**
 * One process's connection to a store that outlives it. Calls are slow and fail in every way that `Log` allows:
 * refused before the write, written with a lost answer, or a snapshot cut off half-way. When the process dies,
 * appends in flight may be written fully, partly (over several streams) or not at all, and so may receipts.
 */
export class SimLog implements Log {
  readonly #store: Log;
  readonly #life: Life;
  readonly #faults: Faults;
  readonly #witness: Witness;
  readonly #inFlight = new Set<Flight>();
  /** The link to a shared store. */
  readonly #line: Line | undefined;
  /** The disk of a standalone node. */
  readonly #disk: Disk | undefined;
  readonly shards: number;
  readonly commitStreamsMax: number;
  readonly dueLateMs: number;
  readonly outboxLateMs: number;
  #closed = false;

  constructor(store: Log, life: Life, faults: Faults, witness: Witness, by: Line | Disk) {
    this.#store = store;
    this.#life = life;
    this.#faults = faults;
    this.#witness = witness;
    if (by instanceof Disk) this.#disk = by;
    else this.#line = by;
    this.shards = store.shards;
    this.commitStreamsMax = store.commitStreamsMax;
    this.dueLateMs = store.dueLateMs;
    this.outboxLateMs = store.outboxLateMs;
  }

  /** The link adds the delays and losses. */
  #witnessed(sharing: Sharing): Sharing {
    return {
      ...sharing,
      heartbeat: async (presence) => {
        const state = await sharing.heartbeat(presence);
        this.#witness.heartbeatAnswered(this.#life, state);
        return state;
      },
      listen: (onAdvanced) =>
        sharing.listen((advanced) => {
          if (advanced) this.#witness.learnt(this.#life, advanced);
          onAdvanced(advanced);
        }),
    };
  }

  join<Membership>(roles: Roles<Membership>): Membership {
    return this.#store.join({ owner: roles.owner, node: (sharing) => roles.node(this.#witnessed(sharing)) });
  }

  commit(wanted: readonly Wanted[], decide: Decide): Promise<CommitOutcome[]> {
    if (this.#disk) return commitAsOwner((appends) => this.#watched(this.#append(appends)), wanted, decide);
    return this.#store.commit(wanted, (tails) => {
      this.#learn(wanted, tails);
      const appends = decide(tails);
      this.#witness.setOut(
        this.#life,
        appends.filter((append) => append !== undefined),
      );
      return appends;
    });
  }

  /** The node learns of entries by other nodes in streams that it is about to decide in. */
  #learn(wanted: readonly Wanted[], tails: Parameters<Decide>[0]): void {
    const advanced = wanted.flatMap(({ stream, after }, index) => {
      const tail = tails[index];
      const lines = typeof tail === "string" ? 0 : tail.reduce((sum, batch) => sum + batch.lines.length, 0);
      return lines > 0 ? { stream, version: after + lines } : [];
    });
    this.#witness.learnt(this.#life, advanced);
  }

  /** Callers that wait for it cannot act. */
  async #watched<T>(call: Promise<T>): Promise<T> {
    const { world } = this.#life;
    const sinceMs = world.elapsedMs;
    const note = (hasFailed: boolean) => {
      if (hasFailed || world.elapsedMs - sinceMs >= hinderedMsMin) this.#witness.hindered();
    };
    return call.then(
      (found) => {
        note(false);
        return found;
      },
      (error) => {
        note(true);
        throw error;
      },
    );
  }

  #append(appends: readonly Append[]): Promise<AppendOutcome[]> {
    const names = appends.map(({ stream, after, lines }) => `${stream} v${after}+${lines.length}`).join(", ");
    return new Promise((resolve, reject) => {
      const flight: Flight = { land: () => void this.#write(this.#someOf(appends)) };
      this.#inFlight.add(flight);
      this.#witness.setOut(this.#life, appends);
      this.#later(`append ${names}`, async () => {
        this.#inFlight.delete(flight);
        if (this.#refuses("failedAppend")) return this.#fail(reject, "the flush failed");
        const lost = this.#faults.strikes("lostAppendAnswer");
        const outcomes = await this.#write(lost ? this.#someOf(appends) : appends);
        if (lost) return this.#fail(reject, "the answer was lost");
        this.#later("append answered", () => resolve(outcomes));
      });
    });
  }

  /** The process died. Writes in flight may or may not arrive. */
  crash(): void {
    for (const flight of this.#inFlight) {
      this.#faults.count("tornByCrash");
      if (this.#life.world.random.chance(0.5)) flight.land();
    }
  }

  /** One append is all or nothing. Of several at once, only some may be written. */
  #someOf(appends: readonly Append[]): readonly Append[] {
    return appends.slice(0, this.#life.world.random.between(1, appends.length));
  }

  async #write(appends: readonly Append[]): Promise<AppendOutcome[]> {
    const outcomes = await (this.#store as AppendingLog).append(appends);
    for (const [index, append] of appends.entries()) {
      if (outcomes[index] === "appended") {
        await this.#witness.written(append);
      } else {
        this.#faults.count("conflict");
        this.#witness.conflicted(append);
      }
    }
    return outcomes;
  }

  head(stream: StreamName): Promise<Head | undefined> {
    return this.#ask(`head ${stream}`, () => this.#store.head(stream));
  }

  /** The node's link already delays and loses this call. */
  async heads(streams: readonly StreamName[]): Promise<(Head | undefined)[]> {
    if (this.#disk) return this.#ask("heads", () => this.#store.heads(streams));
    const heads = await this.#store.heads(streams);
    this.#witness.learnt(
      this.#life,
      streams.map((stream, index) => ({ stream, version: heads[index]?.version ?? 0 })),
    );
    return heads;
  }

  read(stream: StreamName, after: number, limit: number): Promise<StoredBatch[]> {
    return this.#ask(`read ${stream} after v${after}`, () => this.#store.read(stream, after, limit));
  }

  line(stream: StreamName, version: number): Promise<string | undefined> {
    return this.#ask(`line of v${version} of ${stream}`, () => this.#store.line(stream, version));
  }

  list(query: ListQuery): Promise<Listed[]> {
    return this.#ask("list", () => this.#store.list(query));
  }

  countLive(query: LiveQuery): Promise<number> {
    return this.#ask("countLive", () => this.#store.countLive(query));
  }

  due(now: Millis, limit: number): Promise<StreamName[]> {
    return this.#watched(this.#ask("due", () => this.#store.due(now, limit)));
  }

  nextDue(now: Millis): Promise<Millis | undefined> {
    return this.#ask("next due", () => this.#store.nextDue(now));
  }

  /** Rows are read over the same connection. */
  matchesIn(ladders: LadderStore, query: MatchQuery): Promise<StoredMatch[]> {
    return this.#ask(`matches of ${query.stream}`, () => ladders.matches(query));
  }

  outbox(after: number, limit: number): Promise<Outgoing[]> {
    return this.#handOut(`outbox after ${after}`, () => this.#store.outbox(after, limit));
  }

  outboxOf(route: Route, span: Span, limit: number): Promise<Outgoing[]> {
    const { after, upTo } = span;
    return this.#handOut(`outbox to ${route.to} after ${after} up to ${upTo}`, () =>
      this.#store.outboxOf(route, span, limit),
    );
  }

  async #handOut(label: string, question: () => Promise<Outgoing[]>): Promise<Outgoing[]> {
    this.#witness.delivering(this.#life);
    const items = await this.#ask(label, question);
    this.#witness.handedOut(items);
    return items;
  }

  delivered(numbers: readonly number[]): Promise<void> {
    return this.#sign(`delivered ${numbers.join(", ")}`, async () => {
      await this.#store.delivered(numbers);
      this.#witness.noted({ type: "delivered", numbers });
    });
  }

  undeliverable(numbers: readonly number[], reason: string, at: Millis): Promise<void> {
    return this.#sign(`undeliverable ${numbers.join(", ")}`, async () => {
      await this.#store.undeliverable(numbers, reason, at);
      this.#witness.noted({ type: "undeliverable", numbers, reason });
    });
  }

  deadLetters(before: number | undefined, limit: number): Promise<DeadLetter[]> {
    return this.#ask(`dead letters before ${before}`, () => this.#store.deadLetters(before, limit));
  }

  discard(number: number): Promise<boolean> {
    return this.#sign(`discard ${number}`, () => this.#store.discard(number));
  }

  resend(number: number): Promise<Outgoing | undefined> {
    return this.#sign(`resend ${number}`, async () => {
      const item = await this.#store.resend(number);
      this.#witness.noted({ type: "resent", number, item });
      return item;
    });
  }

  /** A receipt: like an append, it may fail, or be written with a lost answer. */
  #sign<T>(label: string, write: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const flight: Flight = { land: () => void write() };
      this.#inFlight.add(flight);
      this.#witness.delivering(this.#life);
      this.#later(label, async () => {
        this.#inFlight.delete(flight);
        if (this.#refuses("failedReceipt")) return this.#fail(reject, "the receipt failed");
        const lost = this.#faults.strikes("lostReceiptAnswer");
        const written = await write();
        if (lost) return this.#fail(reject, "the answer was lost");
        this.#later(`${label} answered`, () => resolve(written));
      });
    });
  }

  loadSnapshot(stream: StreamName): Promise<Snapshot | undefined> {
    return this.#ask(`load snapshot ${stream}`, () => this.#store.loadSnapshot(stream));
  }

  snapshotVersion(stream: StreamName): Promise<number> {
    const question = () => this.#store.snapshotVersion(stream);
    return this.#disk ? this.#ask(`version of the snapshot ${stream}`, question) : question();
  }

  snapshotPart(stream: StreamName, part: number): Promise<SnapshotPart | undefined> {
    return this.#ask(`load part ${part} of the snapshot ${stream}`, () =>
      this.#store.snapshotPart(stream, part),
    );
  }

  /** Reads the parts one at a time, like a real store, while the room keeps changing. */
  saveSnapshot(stream: StreamName, snapshot: Head & { readonly parts: Iterable<Uint8Array> }): Promise<void> {
    const { version, hash } = snapshot;
    const source = snapshot.parts[Symbol.iterator]();
    const parts: Uint8Array[] = [];
    return new Promise((resolve, reject) => {
      const takeLater = () => this.#later(`save snapshot ${stream} v${version}`, takePart);
      const takePart = () => {
        if (this.#refuses("failedSnapshot")) return this.#fail(reject, "the snapshot was cut off");
        const next = source.next();
        if (next.done) return void this.#store.saveSnapshot(stream, { version, hash, parts }).then(resolve);
        parts.push(next.value);
        takeLater();
      };
      takeLater();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  /** The result of a query may be outdated by the time it arrives. */
  #ask<T>(label: string, question: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#later(label, async () => {
        if (this.#refuses("failedRead")) return this.#fail(reject, "the store cannot be read");
        const breaks = this.#line?.breaks;
        const found = await question();
        this.#later(`${label} answered`, () => {
          if (this.#line?.breaks === breaks) resolve(found);
          else this.#fail(reject, "the connection broke");
        });
      });
    });
  }

  #refuses(kind: FaultKind): boolean {
    if (this.#closed || this.#disk?.isFailing || (this.#line && isCut(this.#line))) return true;
    const isRefused = this.#faults.strikes(kind);
    if (isRefused) this.#life.disturbedAtMs = this.#life.world.elapsedMs;
    return isRefused;
  }

  #fail(reject: (error: Error) => void, why: string): void {
    this.#later(`log: ${why}`, () => reject(new LogUnavailable(`Simulated: ${why}.`)));
  }

  #later(label: string, run: () => void): void {
    const { random } = this.#life.world;
    const isSlow = this.#faults.strikes("slowLog");
    if (isSlow) this.#life.disturbedAtMs = this.#life.world.elapsedMs;
    this.#life.after(isSlow ? random.between(50, 800) : random.next() * 3, label, () => {
      if (this.#disk) this.#disk.when(() => this.#life.when(run));
      else run();
    });
  }
}
