import type { QueueEvent } from "@openseat/kernel";
import { type Append, decodeEntry, type Entry, type StreamName } from "@openseat/server";
import type { FaultKind } from "../faults.ts";
import type { Ledger } from "../ledger.ts";
import { kindOf } from "../requests.ts";
import { must } from "../rule.ts";
import type { World } from "../world.ts";
import { inState, type Queue } from "./queue.ts";

/** Places that last only while their people are heard of. */
interface Lease {
  readonly rule: string;
  readonly reason: string;
  windowMs(queue: Queue): number | null;
  tickets(queue: Queue): readonly number[];
}

const leases: readonly Lease[] = [
  {
    rule: "LS1",
    reason: "heartbeat_timeout",
    windowMs: ({ settings }) => settings.heartbeatTimeoutMs,
    tickets: ({ line }) => line,
  },
  {
    rule: "LS2",
    reason: "session_timeout",
    windowMs: ({ settings }) => settings.sessionTimeoutMs,
    tickets: (queue) => inState(queue, "active").map(({ ticket }) => ticket),
  },
];

/** After these the server may have had to read the room anew, and then everybody has a full fresh window. */
const disturbances: ReadonlySet<FaultKind> = new Set([
  "crash",
  "cleanStop",
  "failedAppend",
  "lostAppendAnswer",
  "failedRead",
  "slowLog",
]);

/** To decide and write an end, once it is due: a turn may be under way, and takes its time. */
const promptMs = 50;
/** To be back after a disturbance: the host waits for a second before it reads again, and a slow log takes most of another. */
const recoveryMs = 2_500;
/** Times are sums of fractions. */
const roundingMs = 0.001;

/**
 * When each person was last heard of by the server that runs now, as the world knows it and not as the server does.
 * Nobody's place may end by silence before the lease is over, nor be there after twice its time.
 */
export class SignsOfLife {
  readonly #world: World;
  readonly #ledger: Ledger;
  #startedAtMs = 0;
  #disturbedAtMs = 0;
  readonly #heardAtMs = new Map<string, number>();
  /** Live connections, by place. */
  readonly #held = new Map<string, number>();
  /** Since when a place is under a lease, and a queue has a lease of this length. */
  readonly #sinceMs = new Map<string, number>();

  constructor(world: World, ledger: Ledger) {
    this.#world = world;
    this.#ledger = ledger;
  }

  /** Another process: it has heard of nobody yet (LS4). */
  started(): void {
    this.#startedAtMs = this.#world.elapsedMs;
    this.#disturbedAtMs = this.#world.elapsedMs;
    this.#heardAtMs.clear();
    this.#held.clear();
  }

  noteFault(kind: FaultKind): void {
    if (disturbances.has(kind)) this.#disturbedAtMs = this.#world.elapsedMs;
  }

  heard(stream: StreamName, ticket: number): void {
    if (kindOf(stream) !== "queue") return;
    // Whoever is heard of again must not have been there too long before.
    for (const lease of leases) this.#checkInTime(stream, this.#queue(stream), lease, ticket);
    this.#heardAtMs.set(`${stream} ${ticket}`, this.#world.elapsedMs);
  }

  held(stream: StreamName, ticket: number): void {
    this.heard(stream, ticket);
    const place = `${stream} ${ticket}`;
    this.#held.set(place, (this.#held.get(place) ?? 0) + 1);
  }

  released(stream: StreamName, ticket: number): void {
    const place = `${stream} ${ticket}`;
    this.#held.set(place, (this.#held.get(place) ?? 0) - 1);
    this.#heardAtMs.set(place, this.#world.elapsedMs);
  }

  /** A server has decided this just now, and sends it to the log: from here on nothing that it hears can change it. */
  decided(appends: readonly Append[]): void {
    for (const { stream, lines } of appends) {
      if (kindOf(stream) !== "queue") continue;
      for (const line of lines) this.#checkDecided(stream, decodeEntry<QueueEvent>(line));
    }
  }

  #checkDecided(stream: StreamName, { command, events: [first] }: Entry<QueueEvent>): void {
    if (first.type === "entered") this.#heardAtMs.set(`${stream} ${first.ticket}`, this.#world.elapsedMs);
    if (first.type !== "expired" || command !== "expire") return;
    const lease = leases.find(({ reason }) => reason === first.reason)!;
    for (const ticket of first.tickets) this.#checkSilence(stream, lease, ticket);
  }

  #checkSilence(stream: StreamName, lease: Lease, ticket: number): void {
    const place = `${stream} ${ticket}`;
    const queue = this.#queue(stream);
    const windowMs = (queue && lease.windowMs(queue)) ?? Number.POSITIVE_INFINITY;
    const { elapsedMs } = this.#world;
    const isYoung = elapsedMs - this.#startedAtMs < windowMs - roundingMs;
    must(!isYoung, "LS4", `${place} ended by silence right after a start`);
    must(!this.#held.get(place), lease.rule, `${place} ended by silence with a live connection`);
    const silentMs = elapsedMs - (this.#heardAtMs.get(place) ?? this.#startedAtMs);
    must(
      silentMs >= windowMs - roundingMs,
      lease.rule,
      `${place} ended after ${silentMs} ms of silence, of ${windowMs} that it may last`,
    );
  }

  /** The entries after `version` have become durable. */
  written(stream: StreamName, version: number): void {
    if (kindOf(stream) !== "queue") return;
    const { rooms } = this.#ledger.history(stream);
    for (let next = version + 1; next < rooms.length; next++)
      for (const lease of leases) this.#follow(stream, lease, rooms[next - 1], rooms[next]);
  }

  #follow(stream: StreamName, lease: Lease, before: Queue | undefined, after: Queue): void {
    const { elapsedMs } = this.#world;
    const old = new Set(before ? lease.tickets(before) : []);
    for (const ticket of lease.tickets(after)) {
      if (!old.delete(ticket)) this.#sinceMs.set(`${stream} ${ticket} ${lease.rule}`, elapsedMs);
    }
    for (const ticket of old) this.#checkInTime(stream, before, lease, ticket);
    if (!before || lease.windowMs(before) !== lease.windowMs(after))
      this.#sinceMs.set(`${stream} ${lease.rule}`, elapsedMs);
  }

  /** In the end, nobody silent is left. */
  checkAll(): void {
    for (const stream of this.#ledger.streams) {
      const queue = kindOf(stream) === "queue" ? this.#queue(stream) : undefined;
      if (!queue) continue;
      for (const lease of leases)
        for (const ticket of lease.tickets(queue)) this.#checkInTime(stream, queue, lease, ticket);
    }
  }

  #checkInTime(stream: StreamName, queue: Queue | undefined, lease: Lease, ticket: number): void {
    const windowMs = queue && lease.tickets(queue).includes(ticket) ? lease.windowMs(queue) : null;
    const place = `${stream} ${ticket}`;
    if (windowMs === null || this.#held.get(place)) return;
    const since = Math.max(
      this.#startedAtMs,
      this.#heardAtMs.get(place) ?? 0,
      this.#sinceMs.get(`${place} ${lease.rule}`) ?? 0,
      this.#sinceMs.get(`${stream} ${lease.rule}`) ?? 0,
    );
    const latest = Math.max(since + promptMs, this.#disturbedAtMs + recoveryMs) + 2 * windowMs;
    const lateMs = this.#world.elapsedMs - latest;
    must(lateMs <= 0, lease.rule, `${place} was there for ${lateMs} ms longer than twice ${windowMs} ms`);
  }

  #queue(stream: StreamName): Queue | undefined {
    return this.#ledger.history(stream).rooms.at(-1);
  }
}
