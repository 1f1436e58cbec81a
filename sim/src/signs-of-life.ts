import { type Append, decodeEntry, type Entry, type StreamName } from "@openseat/server";
import { type Course, Turns } from "./arena/turns.ts";
import type { FaultKind } from "./faults.ts";
import { begunBy, type Lease, leases, silencedBy } from "./leases.ts";
import type { Ledger } from "./ledger.ts";
import { type Event, kindOf } from "./requests.ts";
import { must } from "./rule.ts";
import type { World } from "./world.ts";

// biome-ignore lint/suspicious/noExplicitAny: rooms of all kinds
type Room = any;

/** A live connection of somebody's, which keeps the place that they were shown to have. */
export interface Presence {
  readonly isOpen: boolean;
  /** The version of the newest state that was shown on it; 0 for none. */
  readonly shownVersion: number;
}

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
/** For each room that has to be read again: a few at a time. */
const recoveryMsPerRoom = 5;
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
  /** By stream and person. */
  readonly #present = new Map<string, Set<Presence>>();
  readonly #turns: Turns;
  #isClockTrue = true;

  constructor(world: World, ledger: Ledger) {
    this.#world = world;
    this.#ledger = ledger;
    this.#turns = new Turns(ledger);
  }

  /** Another process: it has heard of nobody yet (LS4). */
  started(): void {
    this.#startedAtMs = this.#world.elapsedMs;
    this.#disturbedAtMs = this.#world.elapsedMs;
    this.#heardAtMs.clear();
    this.#held.clear();
    this.#present.clear();
    this.#turns.started();
  }

  noteFault(kind: FaultKind): void {
    if (kind === "clockJump") this.#isClockTrue = false;
    if (disturbances.has(kind)) this.#disturbedAtMs = this.#world.elapsedMs;
  }

  heard(stream: StreamName, ticket: number): void {
    // Whoever is heard of again must not have been there too long before.
    for (const lease of leases[kindOf(stream)]) this.#checkInTime(stream, this.#room(stream), lease, ticket);
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

  /** Somebody has opened a live connection about a room. */
  attends(stream: StreamName, person: string, presence: Presence): void {
    const name = `${stream} ${person}`;
    const open = [...(this.#present.get(name) ?? [])].filter(({ isOpen }) => isOpen);
    this.#present.set(name, new Set([...open, presence]));
  }

  /** A server has decided this just now, and sends it to the log: from here on nothing that it hears can change it. */
  decided(appends: readonly Append[]): void {
    for (const { stream, lines } of appends) {
      const kind = kindOf(stream);
      if (kind === "arena") this.#turns.decided(stream, lines);
      if (leases[kind].length === 0) continue;
      for (const line of lines) this.#checkDecided(stream, decodeEntry<Event>(line));
    }
  }

  #checkDecided(stream: StreamName, entry: Entry<Event>): void {
    for (const ticket of begunBy(entry)) this.#heardAtMs.set(`${stream} ${ticket}`, this.#world.elapsedMs);
    for (const { ticket, reason } of silencedBy(entry)) {
      const lease = leases[kindOf(stream)].find((each) => each.reason === reason);
      must(lease !== undefined, "RM5", `silence ended a place in ${stream} for the reason ${reason}`);
      this.#checkSilence(stream, lease, ticket);
      if (kindOf(stream) === "arena") this.#checkAbsence(stream, lease, ticket);
    }
  }

  /** Whoever watches is there, from the moment on at which they were shown that place of theirs. */
  #checkAbsence(stream: StreamName, { rule }: Lease<Room>, ticket: number): void {
    const { rooms, entries } = this.#ledger.history(stream);
    const begun = entries.findLast((entry) => begunBy(entry).includes(ticket));
    const room = rooms.at(-1);
    const place = [...room.line, ...room.seats].find((each) => each?.ticket === ticket);
    for (const { isOpen, shownVersion } of this.#present.get(`${stream} ${place?.person}`) ?? []) {
      const isThere = isOpen && begun !== undefined && shownVersion >= begun.version;
      must(!isThere, rule, `${place?.person} watches ${stream}, and place ${ticket} ended by silence`);
    }
  }

  #checkSilence(stream: StreamName, lease: Lease<Room>, ticket: number): void {
    const place = `${stream} ${ticket}`;
    const room = this.#room(stream);
    const windowMs = (room && lease.windowMs(room)) ?? Number.POSITIVE_INFINITY;
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
    const kind = kindOf(stream);
    const { rooms } = this.#ledger.history(stream);
    for (let next = version + 1; next < rooms.length; next++) {
      for (const lease of leases[kind]) this.#follow(stream, lease, rooms[next - 1], rooms[next]);
      if (kind === "arena") this.#turns.written(stream, next, this.#course);
    }
  }

  #follow(stream: StreamName, lease: Lease<Room>, before: Room | undefined, after: Room): void {
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
      const room = this.#room(stream);
      for (const lease of leases[kindOf(stream)])
        for (const ticket of lease.tickets(room)) this.#checkInTime(stream, room, lease, ticket);
    }
    this.#turns.checkAll(this.#course);
  }

  #checkInTime(stream: StreamName, room: Room | undefined, lease: Lease<Room>, ticket: number): void {
    if (lease.isByWallClock && !this.#isClockTrue) return;
    const windowMs = room && lease.tickets(room).includes(ticket) ? lease.windowMs(room) : null;
    const place = `${stream} ${ticket}`;
    if (windowMs === null || this.#held.get(place)) return;
    const since = Math.max(
      this.#startedAtMs,
      this.#heardAtMs.get(place) ?? 0,
      this.#sinceMs.get(`${place} ${lease.rule}`) ?? 0,
      this.#sinceMs.get(`${stream} ${lease.rule}`) ?? 0,
    );
    const latest = Math.max(since + promptMs, this.#steadyAtMs) + lease.windowsMax * windowMs;
    const lateMs = this.#world.elapsedMs - latest;
    must(
      lateMs <= 0,
      lease.rule,
      `${place} was there for ${lateMs} ms longer than ${lease.windowsMax} × ${windowMs} ms`,
    );
  }

  get #steadyAtMs(): number {
    return this.#disturbedAtMs + recoveryMs + recoveryMsPerRoom * this.#ledger.size;
  }

  get #course(): Course {
    const { elapsedMs } = this.#world;
    return { elapsedMs, steadyAtMs: this.#steadyAtMs, isClockTrue: this.#isClockTrue };
  }

  #room(stream: StreamName): Room | undefined {
    return this.#ledger.history(stream).rooms.at(-1);
  }
}
