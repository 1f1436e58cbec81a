import type { Millis } from "@openseat/kernel";
import { type Clock, systemClock, type Timer } from "../../clock.ts";
import {
  type CommitOutcome,
  commitStreamsMax,
  type Decide,
  outcomeOf,
  type Tail,
  tailEntriesMax,
  type Wanted,
} from "../commit.ts";
import type { LadderStore } from "../ladder-store.ts";
import { type Append, type AppendOutcome, type Log, LogUnavailable, type StreamName } from "../log.ts";
import {
  type ClusterState,
  type RemoteHeartbeats,
  type Sharing,
  type StreamAdvanced,
  sharingLimits,
} from "../sharing.ts";
import { MemoryLog } from "./memory-log.ts";

/** A node that is silent for this long during a commit loses it. */
const idleCommitMs = 700;

/** The simulated network between nodes and the store, where faults are injected. */
export interface StoreNetwork {
  /** The store's clock. */
  now(): Millis;
  after(ms: number, run: () => void): Timer;
  /** Resolves asynchronously when the message has arrived, and never if the node is gone. Rejects with `LogUnavailable`. */
  pass(node: string, what: string): Promise<void>;
}

/** A network that delivers everything. */
export function openNetwork(clock: Clock): StoreNetwork {
  return {
    now: () => clock.now(),
    after: (ms, run) => clock.after(ms, run),
    pass: () => new Promise((resolve) => clock.soon(resolve)),
  };
}

export interface AppendingLog extends Log {
  readonly ladders: LadderStore;
  append(appends: readonly Append[]): Promise<AppendOutcome[]>;
}

/** Several nodes on one in-memory store, for simulation and tests. */
export class MemoryCluster {
  readonly #store: AppendingLog;
  readonly #network: StoreNetwork;
  readonly #locks = new Locks();
  readonly #heartbeats = new NodeHeartbeats();
  readonly #listeners = new Map<string, (advanced: readonly StreamAdvanced[] | undefined) => void>();

  constructor(store: AppendingLog = new MemoryLog(), network: StoreNetwork = openNetwork(systemClock)) {
    this.#store = store;
    this.#network = network;
  }

  /** `commit`, `heads`, `snapshotVersion` and `sharing` use the network. All other methods call the store directly. */
  node(name: string): Log & { readonly ladders: LadderStore } {
    const sharing: Sharing = {
      announce: (advanced) => this.#announce(name, advanced),
      listen: (onAdvanced) => {
        this.#listeners.set(name, onAdvanced);
        this.#notify(name, undefined);
      },
      heartbeat: (heartbeats) =>
        this.#ask(name, "heartbeat", () => this.#heartbeats.heartbeat(name, heartbeats, this.#network.now())),
      leave: () => this.#ask(name, "leave", () => this.#heartbeats.leave(name)),
    };
    return {
      ...methodsOf(this.#store),
      ladders: this.#store.ladders,
      shards: 4,
      commitStreamsMax,
      commit: (wanted, decide) => this.#commit(name, wanted, decide),
      dueLateMs: sharingLimits.heartbeatMs,
      outboxLateMs: 10_000,
      heads: (streams) => this.#ask(name, "heads", () => this.#store.heads(streams)),
      snapshotVersion: (stream) =>
        this.#ask(name, "snapshot version", () => this.#store.snapshotVersion(stream)),
      join: (roles) => roles.node(sharing),
      close: async () => this.crash(name),
    };
  }

  /** Releases the node's locks and discards what it was deciding. The other nodes notice its silence. */
  crash(name: string): void {
    this.#listeners.delete(name);
    this.cut(name);
  }

  /** Breaks the node's connections: it loses its commits, and is notified that it may have missed announcements. */
  cut(name: string): void {
    this.#locks.take(name);
    this.#notify(name, undefined);
  }

  /** Simulates a failover: the store becomes another server, so every connection breaks. */
  failOver(): void {
    this.#heartbeats.server++;
    for (const name of this.#listeners.keys()) this.cut(name);
  }

  async #commit(name: string, wanted: readonly Wanted[], decide: Decide): Promise<CommitOutcome[]> {
    const streams = wanted.map(({ stream }) => stream);
    const label = `commit in ${streams.join(", ")}`;
    await this.#network.pass(name, label);
    const request = this.#locks.ask(name, streams);
    let patience: Timer | undefined;
    try {
      await request.granted;
      const tails = await Promise.all(wanted.map((stream) => this.#tail(stream)));
      patience = this.#network.after(idleCommitMs, () => request.lose());
      await this.#network.pass(name, `${label}: its tails`);
      request.assertKept();
      const appends = decide(tails);
      await this.#network.pass(name, `${label}: its commit`);
      request.seal();
      const outcomes = await this.#append(tails, appends);
      request.letGo();
      await this.#network.pass(name, `${label}: its answer`);
      return outcomes;
    } finally {
      patience?.cancel();
      request.letGo();
    }
  }

  async #tail({ stream, after, hash }: Wanted): Promise<Tail> {
    const { version } = (await this.#store.head(stream)) ?? { version: 0 };
    if (after > 0 && (await this.#hashAt(stream, after)) !== hash) return "forked";
    if (version - after > tailEntriesMax) return "long";
    return this.#store.read(stream, after, Number.MAX_SAFE_INTEGER);
  }

  /** Undefined if no batch ends at this version. Memory is always at the end of one. */
  async #hashAt(stream: StreamName, version: number): Promise<string | undefined> {
    const [batch] = await this.#store.read(stream, version - 1, 1);
    return batch && batch.first + batch.lines.length - 1 === version ? batch.hash : undefined;
  }

  async #append(tails: readonly Tail[], appends: readonly (Append | undefined)[]): Promise<CommitOutcome[]> {
    const outcomes = tails.map(outcomeOf);
    const places = [...outcomes.keys()].filter((place) => outcomes[place] === "committed" && appends[place]);
    const written = await this.#store.append(places.map((place) => appends[place]!));
    for (const [index, place] of places.entries())
      if (written[index] === "conflict") outcomes[place] = "conflict";
    return outcomes;
  }

  #announce(from: string, advanced: readonly StreamAdvanced[]): void {
    if (advanced.length === 0) return;
    for (const name of this.#listeners.keys()) if (name !== from) this.#notify(name, advanced);
  }

  #notify(name: string, advanced: readonly StreamAdvanced[] | undefined): void {
    if (!this.#listeners.has(name)) return;
    this.#network.pass(name, "announcement").then(
      () => this.#listeners.get(name)?.(advanced),
      () => {},
    );
  }

  async #ask<T>(name: string, what: string, answer: () => T | Promise<T>): Promise<T> {
    await this.#network.pass(name, what);
    const found = await answer();
    await this.#network.pass(name, `${what}: its answer`);
    return found;
  }
}

/** Methods that are the same for every node. */
const ofStore = [
  ...(["head", "read", "line", "list", "countLive", "due", "nextDue"] as const),
  ...(["outbox", "outboxOf", "delivered", "undeliverable", "deadLetters", "resend", "discard"] as const),
  ...(["saveSnapshot", "loadSnapshot", "snapshotPart"] as const),
] as const;

type AnyMethod = (...args: unknown[]) => unknown;

/** Looked up on each call, because simulations replace the store's methods. */
function methodsOf(store: Log): Pick<Log, (typeof ofStore)[number]> {
  const methods = ofStore.map((name) => [
    name,
    (...args: unknown[]) => (store[name] as AnyMethod).apply(store, args),
  ]);
  return Object.fromEntries(methods);
}

/** One commit's place in the lock queues of all its streams. */
class LockRequest {
  readonly node: string;
  /** Resolves when all earlier requests are released; rejects if this one is lost first. */
  readonly granted: Promise<void>;
  readonly released: Promise<void>;
  readonly #release: () => void;
  #isLost = false;
  #isSealed = false;

  constructor(node: string, before: Promise<unknown>) {
    this.node = node;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.released = promise;
    this.#release = resolve;
    this.granted = Promise.race([before, promise]).then(() => this.assertKept());
  }

  letGo(): void {
    this.#release();
  }

  lose(): void {
    if (this.#isSealed) return;
    this.#isLost = true;
    this.#release();
  }

  /** From here on the store writes what was decided, even if the node is lost. */
  seal(): void {
    this.assertKept();
    this.#isSealed = true;
  }

  assertKept(): void {
    if (this.#isLost) throw new LogUnavailable("The connection to the log broke during a commit.");
  }
}

/** A commit joins the queues of all its streams at once, so commits are served in order and never deadlock. */
class Locks {
  /** For each stream, resolves when the latest request and all before it are released. */
  readonly #free = new Map<StreamName, Promise<unknown>>();
  readonly #requests = new Set<LockRequest>();

  ask(node: string, streams: readonly StreamName[]): LockRequest {
    const before = Promise.all(streams.map((stream) => this.#free.get(stream)));
    const request = new LockRequest(node, before);
    this.#requests.add(request);
    // A request that gives up while it waits must not let later ones pass earlier ones.
    const free = Promise.all([before, request.released]);
    for (const stream of streams) this.#free.set(stream, free);
    void request.released.then(() => this.#requests.delete(request));
    void free.then(() => {
      for (const stream of streams) if (this.#free.get(stream) === free) this.#free.delete(stream);
    });
    return request;
  }

  /** Revokes the locks that this node holds or waits for. */
  take(node: string): void {
    for (const request of this.#requests) if (request.node === node) request.lose();
  }
}

/** Node heartbeats, by the store's clock. */
class NodeHeartbeats {
  readonly #nodes = new Map<string, { readonly heartbeatAt: Millis; readonly reportedUntil: Millis }>();
  #pending: RemoteHeartbeats[] = [];
  #leader: { readonly name: string; readonly at: Millis } | undefined;
  #service = { since: 0 as Millis, at: Number.NEGATIVE_INFINITY as Millis };
  server = 1;

  heartbeat(name: string, heartbeats: readonly RemoteHeartbeats[], at: Millis): ClusterState {
    const { goneAfterMs, leaderMs, outageMs } = sharingLimits;
    const { since, at: last } = this.#service;
    const servedSince = at - last < outageMs ? (Math.min(since, at) as Millis) : at;
    this.#service = { since: servedSince, at };
    this.#nodes.set(name, {
      heartbeatAt: at,
      reportedUntil: this.#nodes.get(name)?.heartbeatAt ?? (0 as Millis),
    });
    for (const [node, { heartbeatAt }] of this.#nodes)
      if (!isWithin(goneAfterMs, heartbeatAt, at)) this.#nodes.delete(node);
    const isLeader = this.#leader?.name === name || !isWithin(leaderMs, this.#leader?.at, at);
    if (isLeader) this.#leader = { name, at };
    else this.#pending.push(...heartbeats);
    const known = [...this.#nodes].filter(([node]) => node !== name);
    const others = new Map(known.map(([node, { reportedUntil }]) => [node, reportedUntil]));
    const reported = isLeader ? this.#pending.splice(0) : [];
    return { at, servedSince, isLeader, others, heartbeats: reported, server: String(this.server) };
  }

  leave(name: string): void {
    this.#nodes.delete(name);
    if (this.#leader?.name === name) this.#leader = undefined;
  }
}

/** Times far ahead are from before the clock was set back, and are ignored. */
function isWithin(ms: number, then: Millis | undefined, at: Millis): boolean {
  return then !== undefined && Math.abs(at - then) < ms;
}
