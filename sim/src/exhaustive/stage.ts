import { isDeepStrictEqual } from "node:util";
import type { Decision, Lease, Millis, TicketNumber } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { leases as leaseRules, returnedBy, silencedBy } from "../leases.ts";
import { must } from "../rule.ts";
import { obstacle } from "../specification.ts";
import { checkViews, checkWritten } from "./checks.ts";
import { keyOf } from "./key.ts";
import { fingerprint, fromLog, readBack, Snapshot } from "./memory.ts";
import { type AnySmallWorld, type Ask, epoch } from "./small-world.ts";

// biome-ignore-start lint/suspicious/noExplicitAny: rooms of all kinds are checked alike
type State = any;
type Command = any;
type Event = any;
type Room = any;
// biome-ignore-end lint/suspicious/noExplicitAny: rooms of all kinds are checked alike

/** A small world at one moment: the durable entries, the specification's state, and the time. */
export interface Moment {
  readonly entries: readonly Entry<Event>[];
  readonly room: Room;
  readonly now: Millis;
  /** Of the state in memory on the server that wrote the last entry. */
  readonly fingerprint: string;
}

/** How much was checked. */
export interface Figures {
  entries: number;
  refusals: number;
}

/** Before the room is created. */
export const nothing: Moment = { entries: [], room: undefined, now: epoch, fingerprint: "" };

const clock = "@clock";

/** Repeating these commands changes nothing but the log. */
const repeatable = ["configure"];

/**
 * Plays steps from one moment on two servers: one read the log, the other a snapshot. Both must decide alike and
 * end in the same state. Every entry and refusal is checked against the specification.
 */
export class Stage {
  readonly #world: AnySmallWorld;
  readonly #from: Moment;
  readonly #figures: Figures;
  readonly #snapshot: Snapshot<State> | undefined;
  #byLog: State;
  #bySnapshot: State;
  #entries: readonly Entry<Event>[];
  #room: Room;
  #now: Millis;
  /** The last fingerprint of the state in memory. */
  #print: string;

  constructor(world: AnySmallWorld, from: Moment, figures: Figures) {
    this.#world = world;
    this.#from = from;
    this.#figures = figures;
    this.#entries = from.entries;
    this.#room = from.room;
    this.#now = from.now;
    this.#print = from.fingerprint;
    this.#byLog = fromLog(world.decider, from.entries);
    if (from.entries.length === 0) return;
    must(
      this.#printOf(this.#byLog) === from.fingerprint,
      "LG5",
      "the state rebuilt from the log differs from the one in memory",
    );
    this.#snapshot = new Snapshot(world.decider, this.#byLog);
    this.#bySnapshot = this.#snapshot.restore();
    must(
      this.#printOf(this.#bySnapshot) === from.fingerprint,
      "LG5",
      "the state restored from a snapshot differs from the one in memory",
    );
    must(
      this.#decide(clock, world.decider.tick).length === 0,
      this.#dueRule,
      "work was done that was not due",
    );
  }

  get room(): Room {
    return this.#room;
  }

  get now(): Millis {
    return this.#now;
  }

  get due(): Millis | undefined {
    return this.#byLog && this.#world.decider.nextDue(this.#byLog);
  }

  /** Moments with the same key have the same future. */
  get key(): string {
    const { decider, essence } = this.#world;
    const dueInMs = this.due === undefined ? undefined : this.due - this.#now;
    return keyOf(dueInMs, essence(decider.snapshots.save(this.#byLog), this.#now));
  }

  /** The lease window in milliseconds, by lease number. Undefined where no heartbeat is needed. */
  windowMs(lease: number): number | undefined {
    return this.#leases[lease]?.windowMs(this.#byLog);
  }

  /** Plays a step and returns its result. The next step starts from this stage's own moment again. */
  play(step: (stage: Stage) => void): Moment {
    this.#reset();
    step(this);
    const isNew = this.#entries !== this.#from.entries;
    const { length: version } = this.#entries;
    if (isNew) checkViews(this.#world, { state: this.#byLog, room: this.#room, now: this.#now }, version);
    return { entries: this.#entries, room: this.#room, now: this.#now, fingerprint: this.#print };
  }

  ask({ by, command }: Ask<Command>): void {
    const events = this.#decide(by, command);
    if (events.length === 0 || repeatable.includes(command.type)) return;
    const again = this.#world.decider.decide(this.#byLog, command, this.#now);
    this.#judge(by, command, again);
    must("refusal" in again, "ID5", `${by} sent ${command.type} twice, and it took effect twice`);
  }

  /** Time passes, and due work happens on time. */
  waitUntil(time: Millis): void {
    for (let due = this.due; due !== undefined && due <= time; due = this.due) {
      this.#now = Math.max(due, this.#now) as Millis;
      const events = this.#decide(clock, this.#world.decider.tick);
      must(events.length > 0, this.#dueRule, `work due at ${due} was not done`);
    }
    this.#now = time;
    must(
      this.#decide(clock, this.#world.decider.tick).length === 0,
      this.#dueRule,
      "work was done too early",
    );
  }

  /** Time passes, and overdue work happens only now. */
  wakeLate(time: Millis): void {
    this.#now = time;
    this.waitUntil(time);
  }

  /**
   * The process dies and a new one starts at this time with only the durable entries. Must be the first action of a
   * step.
   */
  crash(until: Millis): void {
    const before = this.#room;
    const { clock: running } = this.#world.decider;
    this.#load();
    this.#now = until;
    if (running) this.#decide(clock, running.revive);
    this.wakeLate(until);
    this.#world.checkOutage?.(before, this.#room, this.#now);
  }

  /** A place that is away receives a heartbeat. */
  comeBack(lease: number, ticket: number): void {
    const { absence } = this.#leases[lease];
    const { rule, returns } = leaseRules[this.#world.kind][lease];
    must(absence?.isAway(this.#byLog, ticket as TicketNumber) === true, rule, `ticket ${ticket} is not away`);
    this.#decide(clock, absence!.back([ticket as TicketNumber]));
    must(!returns?.(this.#room).includes(ticket), rule, `ticket ${ticket} is still away after a heartbeat`);
    const back = returnedBy(this.#entries.at(-1)!);
    must(
      isDeepStrictEqual(back, [ticket]),
      rule,
      `after a heartbeat of ticket ${ticket}, the places [${back}] came back`,
    );
  }

  /** One lease window passes without heartbeats from these places; all others send some. */
  silence(lease: number, silent: readonly number[]): void {
    const { lapse, newest, windowMs: window } = this.#leases[lease];
    const { rule, reason, tickets: leased, returns } = leaseRules[this.#world.kind][lease];
    const windowMs = window(this.#byLog)!;
    const newestThen = newest(this.#byLog);
    const entries = this.#entries;
    this.waitUntil((this.#now + windowMs) as Millis);
    // A tick that ended the lease or changed its length gives everyone a fresh window.
    const isFresh = this.#entries !== entries && window(this.#byLog) !== windowMs;
    if (isFresh) return;
    const expected = leased(this.#room).filter((ticket) => silent.includes(ticket));
    const isPresent = (ticket: number) => ticket > newestThen || !silent.includes(ticket);
    const before = this.#entries.length;
    for (let command = lapse(this.#byLog, isPresent, this.#now); command; ) {
      must(
        isDeepStrictEqual(lapse(this.#bySnapshot, isPresent, this.#now), command),
        "LG5",
        "different places expire after a crash",
      );
      must(this.#decide(clock, command).length > 0, rule, "the end of silent places was refused");
      command = lapse(this.#byLog, isPresent, this.#now);
    }
    const ended = this.#entries
      .slice(before)
      .flatMap((entry) => silencedBy(entry).filter((each) => each.reason === reason))
      .map(({ ticket }) => ticket);
    const isRight = isDeepStrictEqual(ended.toSorted(), expected.toSorted());
    must(isRight, rule, `the places [${ended}] expired, but [${expected}] were silent`);
    const away = (returns?.(this.#room) ?? []).filter((ticket) => !silent.includes(ticket));
    must(away.length === 0, rule, `the places [${away}] sent heartbeats but are away`);
  }

  get #leases(): readonly Lease<State, Command>[] {
    return this.#world.decider.presence?.leases ?? [];
  }

  get #dueRule(): string {
    return this.#world.specification.dueRule;
  }

  #printOf(state: State): string {
    return fingerprint(this.#world.decider.snapshots.save(state));
  }

  #reset(): void {
    const { entries, room, now, fingerprint: print } = this.#from;
    // A refusal changed nothing, so the same memory is kept, which must make no difference.
    if (this.#entries !== entries) this.#load();
    this.#entries = entries;
    this.#room = room;
    this.#now = now;
    this.#print = print;
  }

  #load(): void {
    this.#byLog = fromLog(this.#world.decider, this.#from.entries);
    this.#bySnapshot = this.#snapshot?.restore();
  }

  /** Decides on both servers and writes the result. */
  #decide(by: string, command: Command): readonly Event[] {
    const { decider } = this.#world;
    const decision: Decision<Event> = decider.decide(this.#byLog, command, this.#now);
    if (this.#byLog) {
      const isUnchanged = this.#printOf(this.#byLog) === this.#print;
      must(isUnchanged, "ID4", `deciding a ${command.type} changed the state`);
      const other = decider.decide(this.#bySnapshot, command, this.#now);
      must(
        isDeepStrictEqual(decision, other),
        "LG5",
        `a ${command.type} is decided differently after a crash`,
      );
    }
    const judged = this.#judge(by, command, decision);
    if (!judged) return [];
    this.#room = judged.room;
    this.#write(judged.entry);
    return judged.entry.events;
  }

  /** Checks a decision against the specification: its entry, and the room after it, if anything was written. */
  #judge(
    by: string,
    command: Command,
    decision: Decision<Event>,
  ): { readonly entry: Entry<Event>; readonly room: Room } | undefined {
    const { decider, specification } = this.#world;
    const expected = specification.refusal(this.#room, by, command);
    if ("refusal" in decision) {
      this.#figures.refusals++;
      const { code } = decision.refusal;
      const isRight = isDeepStrictEqual(obstacle(decision.refusal), expected);
      must(isRight, specification.refusalRule(code), `${by}: a ${command.type} was refused with ${code}`);
      return undefined;
    }
    const { events } = decision;
    if (events.length === 0) return undefined;
    const version = this.#entries.length + 1;
    const fields = {
      format: 1,
      version,
      at: this.#now,
      by,
      command: decider.keys.fingerprint(command),
    } as const;
    const entry = readBack<Event>({ ...fields, events });
    // Check the model first, because it names the broken rule best.
    const room = specification.fold(this.#room, entry, { asked: () => undefined });
    const rule = specification.refusalRule(expected?.code ?? "");
    must(!expected, rule, `${by}: a ${command.type} was done, but must be refused with ${expected?.code}`);
    this.#figures.entries++;
    return { entry, room };
  }

  #write(entry: Entry<Event>): void {
    const { decider } = this.#world;
    const { events, at, version, command } = entry;
    this.#entries = [...this.#entries, entry];
    const isFirst = this.#byLog === undefined;
    for (const event of events) this.#byLog = decider.evolve(this.#byLog, event, at, version);
    if (isFirst) this.#bySnapshot = new Snapshot<State>(decider, this.#byLog).restore();
    else for (const event of events) this.#bySnapshot = decider.evolve(this.#bySnapshot, event, at, version);
    this.#print = this.#printOf(this.#byLog);
    must(
      this.#printOf(this.#bySnapshot) === this.#print,
      "LG5",
      `a ${command} leads to a different state after a crash`,
    );
    checkWritten(this.#world, { state: this.#byLog, room: this.#room, now: this.#now });
    this.#world.checkEffects?.(entry, decider.effects?.(this.#byLog, events) ?? []);
  }
}
