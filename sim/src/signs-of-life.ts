import type { Millis } from "@openseat/kernel";
import { type Append, decodeEntry, type Entry, type StreamName } from "@openseat/server";
import { type Course, Turns } from "./arena/turns.ts";
import { Announcements, type StreamAt, type VersionAt } from "./cluster/announcements.ts";
import { epochMs } from "./cluster/lines.ts";
import type { Roll } from "./cluster/roll.ts";
import type { FaultKind } from "./faults.ts";
import { type Heard, HeardByMany, HeardByOne } from "./heard.ts";
import { begunBy, type Lease, leases, returnedBy, silencedBy } from "./leases.ts";
import type { Ledger } from "./ledger.ts";
import { type Event, kindOf } from "./requests.ts";
import { Returns } from "./returns.ts";
import { must } from "./rule.ts";
import type { Life, World } from "./world.ts";

// biome-ignore lint/suspicious/noExplicitAny: rooms of all kinds
type Room = any;

/** A live connection of somebody's, which keeps the place that they were shown to have. */
export interface Presence {
  readonly isOpen: boolean;
  readonly life: Life;
  /** The version of the newest state that was shown on it; 0 for none. */
  readonly shownVersion: number;
}

/** After these the server may have had to read the room anew, and then everybody has a full fresh window. */
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

/** To decide and write an end, once it is due: a turn may be under way, and takes its time. */
const promptMs = 50;
/** To be back after a disturbance: the host waits for a second before it reads again, and a slow log takes most of another. */
const recoveryMs = 2_500;
/** Where nodes have to notice that one of them is gone, and another has to take over what it did. */
const recoveryAmongManyMs = 7_000;
/**
 * Among several nodes: two beats until a sign that another has had is known where it counts, three until it is known that
 * there were no others, and as long again if that was just being asked about the window before. Where the lease has room for
 * that, as every one of a queue has that people can ask for, nothing is added.
 */
const journeyMs = 4_000;
/**
 * CL2: an entry that began a lease may not have been announced to the leader. If no other follows, it finds the room when it next
 * lists them: it looks every 5 seconds, and lists again after 15 seconds at the earliest. Another that takes over lists them at once.
 */
const unannouncedMs = 20_000;
/** Until what is due is looked for again: turns that were lost on the way have to be given up first. */
const timersBackMs = 2_500;
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
  readonly #roll: Roll | undefined;
  readonly #heard: Heard;
  #startedAtMs = 0;
  #disturbedAtMs = 0;
  /** With which entry a place came under a lease, and a room got a lease of this length. */
  readonly #begunWith = new Map<string, VersionAt>();
  /** By stream and person. */
  readonly #present = new Map<string, Set<Presence>>();
  readonly #returns: Returns;
  readonly #turns: Turns;
  readonly #announcements: Announcements | undefined;
  #isClockTrue = true;

  /** With a roll where several nodes are on one log. */
  constructor(world: World, ledger: Ledger, roll?: Roll) {
    this.#world = world;
    this.#ledger = ledger;
    this.#roll = roll;
    this.#heard = roll ? new HeardByMany(world, roll) : new HeardByOne(world);
    this.#returns = new Returns(world, this.#heard);
    this.#turns = new Turns(ledger, roll);
    this.#announcements = roll && new Announcements(world, ledger, roll);
  }

  /** Another process: it has heard of nobody yet (LS4). */
  started(now: () => Millis): void {
    this.#disturbedAtMs = Math.max(this.#disturbedAtMs, this.#world.elapsedMs);
    if (this.#roll) return;
    this.#startedAtMs = this.#world.elapsedMs;
    this.#heard.clear();
    this.#present.clear();
    this.#turns.started(now);
  }

  /** A process is gone, and all connections to it. */
  ended(life: Life): void {
    this.#disturbedAtMs = Math.max(this.#disturbedAtMs, this.#world.elapsedMs);
    this.#heard.end(life);
  }

  noteFault(kind: FaultKind, forMs: number): void {
    if (!disturbances.has(kind)) return;
    this.#disturbedAtMs = Math.max(this.#disturbedAtMs, this.#world.elapsedMs + forMs);
  }

  /** A node learns that streams have at least these versions. */
  learnt(life: Life, grown: readonly StreamAt[]): void {
    this.#announcements?.learnt(life, grown);
  }

  clockSet(byMs: number): void {
    // Nodes on one log go by its clock.
    if (this.#roll) return;
    this.#isClockTrue = false;
    this.#turns.clockSet(byMs);
  }

  /** The log of the only server could not be used until now. */
  hindered(): void {
    if (!this.#roll) this.#turns.hindered(this.#world.elapsedMs);
  }

  heard(stream: StreamName, ticket: number, life: Life, atMs = this.#world.elapsedMs): void {
    // Whoever is heard of again must not have been there too long before.
    const place = `${stream} ${ticket}`;
    const room = this.#room(stream);
    for (const lease of leases[kindOf(stream)]) {
      this.#checkInTime(stream, room, lease, ticket);
      this.#checkReturned(stream, room, lease, ticket);
      if (room && lease.returns?.(room).includes(ticket)) this.#returns.note(place, this.#returning);
    }
    this.#heard.note(place, life, atMs);
  }

  held(stream: StreamName, ticket: number, life: Life): void {
    this.heard(stream, ticket, life);
    this.#heard.hold(`${stream} ${ticket}`, life);
  }

  released(stream: StreamName, ticket: number, life: Life): void {
    this.#heard.release(`${stream} ${ticket}`, life);
  }

  /** Somebody has opened a live connection about a room. */
  attends(stream: StreamName, person: string, presence: Presence): void {
    const name = `${stream} ${person}`;
    const open = [...(this.#present.get(name) ?? [])].filter(({ isOpen }) => isOpen);
    this.#present.set(name, new Set([...open, presence]));
  }

  /** A server has decided this just now, and sends it to the log: from here on nothing that it hears can change it. */
  decided(life: Life, appends: readonly Append[]): void {
    for (const { stream, lines } of appends) {
      this.#announcements?.decided(life, stream);
      const kind = kindOf(stream);
      if (kind === "arena") this.#turns.decided(life, stream, lines);
      if (leases[kind].length === 0) continue;
      for (const line of lines) this.#checkDecided(life, stream, decodeEntry<Event>(line));
    }
  }

  #checkDecided(life: Life, stream: StreamName, entry: Entry<Event>): void {
    for (const ticket of begunBy(entry)) this.#heard.begin(`${stream} ${ticket}`, life);
    for (const ticket of returnedBy(entry)) this.#returns.cameBack(`${stream} ${ticket}`, this.#returning);
    for (const { ticket, reason } of silencedBy(entry)) {
      const lease = leases[kindOf(stream)].find((each) => each.reason === reason);
      must(lease !== undefined, "RM5", `silence ended a place in ${stream} for the reason ${reason}`);
      this.#checkSilence(life, stream, lease, ticket);
      if (lease.returns) this.#returns.wentAway(`${stream} ${ticket}`);
      if (kindOf(stream) === "arena") this.#checkAbsence(stream, lease, ticket);
    }
  }

  /** Whoever watches is there, from the moment on at which they were shown that place of theirs. */
  #checkAbsence(stream: StreamName, { rule }: Lease<Room>, ticket: number): void {
    const { rooms, entries } = this.#ledger.history(stream);
    const begun = entries.findLast((entry) => begunBy(entry).includes(ticket));
    const room = rooms.at(-1);
    const place = [...room.line, ...room.seats].find((each) => each?.ticket === ticket);
    for (const presence of this.#present.get(`${stream} ${place?.person}`) ?? []) {
      const { isOpen, shownVersion, life } = presence;
      const isShown = isOpen && begun !== undefined && shownVersion >= begun.version;
      const isThere = isShown && this.#heard.isHeld(`${stream} ${ticket}`, life);
      must(!isThere, rule, `${place?.person} watches ${stream}, and place ${ticket} ended by silence`);
    }
  }

  #checkSilence(life: Life, stream: StreamName, lease: Lease<Room>, ticket: number): void {
    const room = this.#room(stream);
    const windowMs = (room && lease.windowMs(room)) ?? Number.POSITIVE_INFINITY;
    const sinceMs = this.#roll?.leaderSinceMs(life) ?? this.#startedAtMs;
    const isYoung = this.#world.elapsedMs - sinceMs < windowMs - roundingMs;
    const place = `${stream} ${ticket}`;
    must(!isYoung, "LS4", `${place} ended by silence right after a start`);
    this.#heard.checkSilent(place, { life, rule: lease.rule, windowMs: windowMs - roundingMs });
  }

  /** The entries after `version` have become durable. */
  written(stream: StreamName, version: number): void {
    const kind = kindOf(stream);
    const { rooms } = this.#ledger.history(stream);
    for (let next = version + 1; next < rooms.length; next++) {
      for (const lease of leases[kind]) this.#follow(stream, lease, rooms, next);
      if (kind === "arena") this.#turns.written(stream, next, this.#course);
    }
    // Last: what is judged by it is what was known until now.
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

  /** In the end, nobody silent is left. */
  checkAll(): void {
    for (const stream of this.#ledger.streams) {
      const room = this.#room(stream);
      for (const lease of leases[kindOf(stream)]) this.#checkLease(stream, room, lease);
    }
    this.#turns.checkAll(this.#course);
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
    if (windowMs === null || this.#heard.isHeld(place)) return;
    const leasedSince = this.#leasedSinceMs(stream, place, lease);
    const since = Math.max(this.#startedAtMs, this.#heard.lastMs(place), leasedSince);
    const hasSlack = (lease.windowsMax - 1) * windowMs >= journeyMs;
    const prompt = this.#roll && !hasSlack ? journeyMs : promptMs;
    const latest = Math.max(since + prompt, this.#steadyAtMs) + lease.windowsMax * windowMs;
    const lateMs = this.#world.elapsedMs - latest;
    must(
      lateMs <= 0,
      lease.rule,
      `${place} was there for ${lateMs} ms longer than ${lease.windowsMax} × ${windowMs} ms`,
    );
  }

  /** When the one that keeps the leases must have known that this place has this one. */
  #leasedSinceMs(stream: StreamName, place: string, { rule }: Lease<Room>): number {
    const began = [this.#begunWith.get(`${place} ${rule}`), this.#begunWith.get(`${stream} ${rule}`)];
    const [latest] = began.filter((each) => each !== undefined).sort((a, b) => b.version - a.version);
    if (!latest || !this.#roll) return latest?.atMs ?? 0;
    const toldAtMs = this.#announcements!.toldAtMs(stream, latest);
    const listedMs =
      this.#roll.nextTakenOverMs(latest.atMs) + recoveryMs + recoveryMsPerRoom * this.#ledger.size;
    return Math.min(toldAtMs, listedMs, latest.atMs + unannouncedMs);
  }

  /** By the store's clock: from then on nothing has kept the nodes from doing what is due. */
  get punctualFrom(): Millis {
    return Math.ceil(epochMs + this.#disturbedAtMs + timersBackMs) as Millis;
  }

  get #steadyAtMs(): number {
    const recovery = this.#roll ? recoveryAmongManyMs : recoveryMs;
    return this.#disturbedAtMs + recovery + recoveryMsPerRoom * this.#ledger.size;
  }

  get #returning() {
    return { steadyAtMs: this.#steadyAtMs, promptMs: this.#roll ? journeyMs : promptMs };
  }

  get #course(): Course {
    const { elapsedMs } = this.#world;
    return { elapsedMs, steadyAtMs: this.#steadyAtMs, isClockTrue: this.#isClockTrue };
  }

  #room(stream: StreamName): Room | undefined {
    return this.#ledger.history(stream).rooms.at(-1);
  }
}
