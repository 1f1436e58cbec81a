import type { Millis } from "@openseat/kernel";
import { type Append, decodeEntry, type Entry, type StreamName } from "@openseat/server";
import { type Timing, TurnClocks } from "./arena/turn-clocks.ts";
import { Announcements, type StreamAt, type VersionAt } from "./cluster/announcements.ts";
import { epochMs } from "./cluster/lines.ts";
import type { Membership } from "./cluster/membership.ts";
import type { FaultKind } from "./faults.ts";
import { ClusterHeartbeats, type Heartbeats, StandaloneHeartbeats } from "./heartbeats.ts";
import { begunBy, type Lease, leases, returnedBy, silencedBy } from "./leases.ts";
import type { Ledger } from "./ledger.ts";
import { type Event, kindOf } from "./requests.ts";
import { Returns } from "./returns.ts";
import { must } from "./rule.ts";
import type { Life, World } from "./world.ts";

// biome-ignore lint/suspicious/noExplicitAny: rooms of all kinds
type Room = any;

/** A live connection of a person, which keeps the place that it showed them. */
export interface Presence {
  readonly isOpen: boolean;
  readonly life: Life;
  /** The newest version whose state it showed; 0 for none. */
  readonly shownVersion: number;
}

/** After these faults the server may have reloaded the room, which gives everyone a full window. */
const disturbances: ReadonlySet<FaultKind> = new Set([
  "cleanStop",
  "failedAppend",
  "lostAppendAnswer",
  "failedRead",
  "slowLog",
  "freeze",
  "cut",
  "outage",
  "wentBack",
  "lostWord",
]);

/** Time to decide and write an expiry that is due, including a commit that is already running. */
const promptMs = 50;
/**
 * Time to recover after a fault: the host waits for a second before it reads again, and a slow log adds most of
 * another.
 */
const recoveryMs = 2_500;
/** The same where nodes must notice that another is gone, and a new leader must take over. */
const recoveryAmongManyMs = 7_000;
/**
 * Delay in a cluster: two node heartbeats until the leader knows of a heartbeat on another node, three until it
 * knows that there were none, and the same again if it was still checking the window before. Long leases, such as
 * all that a queue allows, already include this.
 */
const journeyMs = 4_000;
/**
 * CL2: the leader may miss the announcement of an entry that began a lease. Without a later entry, it finds the
 * room when it next lists all rooms: it checks every 5 seconds and lists at most every 15. A new leader lists at
 * once.
 */
const unannouncedMs = 20_000;
/** Time until due work is looked for again, after lost commits have timed out. */
const timersBackMs = 2_500;
/** Per room to reload: only a few at a time. */
const recoveryMsPerRoom = 5;
/** Times are sums of fractions. */
const roundingMs = 0.001;

/**
 * The last heartbeat of each person to the running server, as the world knows it. A place may not expire before its
 * lease is over, and must expire within twice the lease.
 */
export class PresenceChecks {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #membership: Membership | undefined;
  readonly #heartbeats: Heartbeats;
  #startedAtMs = 0;
  #disturbedAtMs = 0;
  /** The entry that put a place under a lease, or gave a room a lease of this length. */
  readonly #begunWith = new Map<string, VersionAt>();
  /** By stream and person. */
  readonly #present = new Map<string, Set<Presence>>();
  readonly #returns: Returns;
  readonly #turnClocks: TurnClocks;
  readonly #announcements: Announcements | undefined;
  #isClockTrue = true;

  /** `membership` is set where several nodes share a log. */
  constructor(world: World, ledger: Ledger, membership?: Membership) {
    this.#world = world;
    this.#ledger = ledger;
    this.#membership = membership;
    this.#heartbeats = membership
      ? new ClusterHeartbeats(world, membership)
      : new StandaloneHeartbeats(world);
    this.#returns = new Returns(world, this.#heartbeats);
    this.#turnClocks = new TurnClocks(ledger, membership);
    this.#announcements = membership && new Announcements(world, ledger, membership);
  }

  /** A new process, which has received no heartbeats yet (LS4). */
  started(now: () => Millis): void {
    this.#disturbedAtMs = Math.max(this.#disturbedAtMs, this.#world.elapsedMs);
    if (this.#membership) return;
    this.#startedAtMs = this.#world.elapsedMs;
    this.#heartbeats.clear();
    this.#present.clear();
    this.#turnClocks.started(now);
  }

  /** A process and all its connections are gone. */
  ended(life: Life): void {
    this.#disturbedAtMs = Math.max(this.#disturbedAtMs, this.#world.elapsedMs);
    this.#heartbeats.end(life);
  }

  noteFault(kind: FaultKind, forMs: number): void {
    if (!disturbances.has(kind)) return;
    this.#disturbedAtMs = Math.max(this.#disturbedAtMs, this.#world.elapsedMs + forMs);
  }

  /** A node learns that streams have at least these versions. */
  learnt(life: Life, advanced: readonly StreamAt[]): void {
    this.#announcements?.learnt(life, advanced);
  }

  clockSet(byMs: number): void {
    // Nodes on a shared log use the log's clock.
    if (this.#membership) return;
    this.#isClockTrue = false;
    this.#turnClocks.clockSet(byMs);
  }

  /** The only server could not use its log until now. */
  hindered(): void {
    if (!this.#membership) this.#turnClocks.hindered(this.#world.elapsedMs);
  }

  heartbeat(stream: StreamName, ticket: number, life: Life, atMs = this.#world.elapsedMs): void {
    // A place that comes back must not have been away for too long.
    const place = `${stream} ${ticket}`;
    const room = this.#room(stream);
    for (const lease of leases[kindOf(stream)]) {
      this.#checkInTime(stream, room, lease, ticket);
      this.#checkReturned(stream, room, lease, ticket);
      if (room && lease.returns?.(room).includes(ticket)) this.#returns.note(place, this.#returning);
    }
    this.#heartbeats.note(place, life, atMs);
  }

  held(stream: StreamName, ticket: number, life: Life): void {
    this.heartbeat(stream, ticket, life);
    this.#heartbeats.hold(`${stream} ${ticket}`, life);
  }

  released(stream: StreamName, ticket: number, life: Life): void {
    this.#heartbeats.release(`${stream} ${ticket}`, life);
  }

  /** A person opened a live connection to a room. */
  attends(stream: StreamName, person: string, presence: Presence): void {
    const name = `${stream} ${person}`;
    const open = [...(this.#present.get(name) ?? [])].filter(({ isOpen }) => isOpen);
    this.#present.set(name, new Set([...open, presence]));
  }

  /** A server decided this and sends it to the log: later heartbeats can no longer change it. */
  decided(life: Life, appends: readonly Append[]): void {
    for (const { stream, lines } of appends) {
      this.#announcements?.decided(life, stream);
      const kind = kindOf(stream);
      if (kind === "arena") this.#turnClocks.decided(life, stream, lines);
      if (leases[kind].length === 0) continue;
      for (const line of lines) this.#checkDecided(life, stream, decodeEntry<Event>(line));
    }
  }

  #checkDecided(life: Life, stream: StreamName, entry: Entry<Event>): void {
    for (const ticket of begunBy(entry)) this.#heartbeats.begin(`${stream} ${ticket}`, life);
    for (const ticket of returnedBy(entry)) this.#returns.cameBack(`${stream} ${ticket}`, this.#returning);
    for (const { ticket, reason } of silencedBy(entry)) {
      const lease = leases[kindOf(stream)].find((each) => each.reason === reason);
      must(lease !== undefined, "RM5", `silence ended a place in ${stream} for the reason ${reason}`);
      this.#checkSilence(life, stream, lease, ticket);
      if (lease.returns) this.#returns.wentAway(`${stream} ${ticket}`);
      if (kindOf(stream) === "arena") this.#checkAbsence(stream, lease, ticket);
    }
  }

  /** A watcher counts as present once they were shown their place. */
  #checkAbsence(stream: StreamName, { rule }: Lease<Room>, ticket: number): void {
    const { rooms, entries } = this.#ledger.history(stream);
    const begun = entries.findLast((entry) => begunBy(entry).includes(ticket));
    const room = rooms.at(-1);
    const place = [...room.line, ...room.seats].find((each) => each?.ticket === ticket);
    for (const presence of this.#present.get(`${stream} ${place?.person}`) ?? []) {
      const { isOpen, shownVersion, life } = presence;
      const isShown = isOpen && begun !== undefined && shownVersion >= begun.version;
      const isThere = isShown && this.#heartbeats.isHeld(`${stream} ${ticket}`, life);
      must(!isThere, rule, `${place?.person} watches ${stream}, but place ${ticket} expired`);
    }
  }

  #checkSilence(life: Life, stream: StreamName, lease: Lease<Room>, ticket: number): void {
    const room = this.#room(stream);
    const windowMs = (room && lease.windowMs(room)) ?? Number.POSITIVE_INFINITY;
    const sinceMs = this.#membership?.leaderSinceMs(life) ?? this.#startedAtMs;
    const isYoung = this.#world.elapsedMs - sinceMs < windowMs - roundingMs;
    const place = `${stream} ${ticket}`;
    must(!isYoung, "LS4", `${place} expired right after a start`);
    this.#heartbeats.checkSilent(place, { life, rule: lease.rule, windowMs: windowMs - roundingMs });
  }

  /** The entries after `version` have become durable. */
  written(stream: StreamName, version: number): void {
    const kind = kindOf(stream);
    const { rooms } = this.#ledger.history(stream);
    for (let next = version + 1; next < rooms.length; next++) {
      for (const lease of leases[kind]) this.#follow(stream, lease, rooms, next);
      if (kind === "arena") this.#turnClocks.written(stream, next, this.#timing);
    }
    // Last, because the check uses what was known until now.
    this.#announcements?.written(stream);
  }

  #follow(stream: StreamName, lease: Lease<Room>, rooms: readonly Room[], version: number): void {
    const [before, after] = [rooms[version - 1], rooms[version]];
    const written: VersionAt = { version, atMs: this.#world.elapsedMs };
    const old = new Set(before ? lease.tickets(before) : []);
    for (const ticket of lease.tickets(after)) {
      if (!old.delete(ticket)) this.#begunWith.set(`${stream} ${ticket} ${lease.rule}`, written);
    }
    for (const ticket of old) this.#checkInTime(stream, before, lease, ticket);
    const returned = new Set(before && lease.returns ? lease.returns(before) : []);
    for (const ticket of lease.returns?.(after) ?? []) returned.delete(ticket);
    for (const ticket of returned) {
      this.#checkReturned(stream, before, lease, ticket);
      this.#returns.forget(`${stream} ${ticket}`);
    }
    if (!before || lease.windowMs(before) !== lease.windowMs(after))
      this.#begunWith.set(`${stream} ${lease.rule}`, written);
  }

  /** At the end, no silent place is left. */
  checkAll(): void {
    for (const stream of this.#ledger.streams) {
      const room = this.#room(stream);
      for (const lease of leases[kindOf(stream)]) this.#checkLease(stream, room, lease);
    }
    this.#turnClocks.checkAll(this.#timing);
  }

  #checkLease(stream: StreamName, room: Room, lease: Lease<Room>): void {
    for (const ticket of lease.tickets(room)) this.#checkInTime(stream, room, lease, ticket);
    for (const ticket of lease.returns?.(room) ?? []) this.#checkReturned(stream, room, lease, ticket);
  }

  #checkReturned(stream: StreamName, room: Room | undefined, lease: Lease<Room>, ticket: number): void {
    if (!room || !lease.returns?.(room).includes(ticket)) return;
    const windowMs = lease.windowsMax * (lease.windowMs(room) ?? Number.POSITIVE_INFINITY);
    this.#returns.checkInTime(`${stream} ${ticket}`, windowMs, this.#returning);
  }

  #checkInTime(stream: StreamName, room: Room | undefined, lease: Lease<Room>, ticket: number): void {
    if (lease.isByWallClock && !this.#isClockTrue) return;
    const windowMs = room && lease.tickets(room).includes(ticket) ? lease.windowMs(room) : null;
    const place = `${stream} ${ticket}`;
    if (windowMs === null || this.#heartbeats.isHeld(place)) return;
    const leasedSince = this.#leasedSinceMs(stream, place, lease);
    const since = Math.max(this.#startedAtMs, this.#heartbeats.lastMs(place), leasedSince);
    const hasSlack = (lease.windowsMax - 1) * windowMs >= journeyMs;
    const prompt = this.#membership && !hasSlack ? journeyMs : promptMs;
    const latest = Math.max(since + prompt, this.#steadyAtMs) + lease.windowsMax * windowMs;
    const lateMs = this.#world.elapsedMs - latest;
    must(
      lateMs <= 0,
      lease.rule,
      `${place} expired ${lateMs} ms later than ${lease.windowsMax} × ${windowMs} ms`,
    );
  }

  /** Since when the process that expires places must know about this lease. */
  #leasedSinceMs(stream: StreamName, place: string, { rule }: Lease<Room>): number {
    const began = [this.#begunWith.get(`${place} ${rule}`), this.#begunWith.get(`${stream} ${rule}`)];
    const [latest] = began.filter((each) => each !== undefined).sort((a, b) => b.version - a.version);
    if (!latest || !this.#membership) return latest?.atMs ?? 0;
    const knownAtMs = this.#announcements!.knownAtMs(stream, latest);
    const listedMs =
      this.#membership.nextTakenOverMs(latest.atMs) + recoveryMs + recoveryMsPerRoom * this.#ledger.size;
    return Math.min(knownAtMs, listedMs, latest.atMs + unannouncedMs);
  }

  /** By the store's clock: since then no fault has kept nodes from doing due work. */
  get punctualFrom(): Millis {
    return Math.ceil(epochMs + this.#disturbedAtMs + timersBackMs) as Millis;
  }

  get #steadyAtMs(): number {
    const recovery = this.#membership ? recoveryAmongManyMs : recoveryMs;
    return this.#disturbedAtMs + recovery + recoveryMsPerRoom * this.#ledger.size;
  }

  get #returning() {
    return { steadyAtMs: this.#steadyAtMs, promptMs: this.#membership ? journeyMs : promptMs };
  }

  get #timing(): Timing {
    const { elapsedMs } = this.#world;
    return { elapsedMs, steadyAtMs: this.#steadyAtMs, isClockTrue: this.#isClockTrue };
  }

  #room(stream: StreamName): Room | undefined {
    return this.#ledger.history(stream).rooms.at(-1);
  }
}
