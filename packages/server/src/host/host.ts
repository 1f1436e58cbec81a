import type { Decider, Millis, Refusal } from "@openseat/kernel";
import type { Clock, Timer } from "../clock.ts";
import type { LadderRecords } from "../log/ladder-records.ts";
import { type Append, type Log, LogUnavailable, type StreamName } from "../log/log.ts";
import { Alarm } from "./alarm.ts";
import type { Courier } from "./courier.ts";
import { DeadLetters } from "./dead-letters.ts";
import { entriesAfter, entryAt } from "./entries.ts";
import { type Hold, Holds } from "./holds.ts";
import { type Ask, type Committed, Mailbox, type Outcome, type Whose } from "./mailbox.ts";
import { Outbox } from "./outbox.ts";
import { Snapshots } from "./snapshots.ts";
import type { Streams } from "./streams.ts";
import { stopping } from "./trouble.ts";
import { Waking } from "./waking.ts";

/** Streams differ in type; the host treats all alike and gives each its type back through `Streams`. */
// biome-ignore lint/suspicious/noExplicitAny: the one place where mailboxes of all kinds stand side by side
type AnyMailbox = Mailbox<any, any, any>;
// biome-ignore lint/suspicious/noExplicitAny: see above
type AnyDecider = Decider<any, any, any>;

export interface HostOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly deciders: Readonly<Record<string, AnyDecider>>;
  /** By kind: who takes what entries cause outside. */
  readonly couriers?: Readonly<Record<string, Courier>>;
  /** Streams in memory; past it, the ones that have been quiet longest leave. Those that must stay come on top. */
  readonly residentStreamsMax?: number;
  /** How long a stream may be quiet before it leaves memory. */
  readonly idleMs?: number;
  /** Entries since the last snapshot before another is considered. */
  readonly snapshotTailMin?: number;
  /** Told of everything that has become durable, in order within each stream. */
  readonly onCommit?: (committed: Committed<unknown>) => void;
  /** Told of streams whose append failed: it may have been written all the same, and nobody was told of it. */
  readonly onDoubt?: (stream: StreamName) => void;
  readonly onError?: (error: unknown) => void;
}

const dueStreamsMax = 10_000;
const quietCheckMs = 5;
const retryMs = 1_000;

/**
 * Runs streams: brings them into memory, gives each a turn to decide what waits, appends what they decided in one
 * go, and only then lets anyone know. One turn is under way at a time; what arrives meanwhile is the next turn's.
 */
export class Host {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #deciders: Readonly<Record<string, AnyDecider>>;
  readonly #residentStreamsMax: number;
  readonly #idleMs: number;
  readonly #onCommit: (committed: Committed<unknown>) => void;
  readonly #onDoubt: (stream: StreamName) => void;
  readonly #onError: (error: unknown) => void;
  readonly #alarm: Alarm;
  readonly #snapshots: Snapshots;
  readonly #waking: Waking;
  readonly #outbox: Outbox;
  readonly deadLetters: DeadLetters;
  readonly #holds = new Holds();
  readonly #mailboxes = new Map<StreamName, AnyMailbox>();
  #ready = new Set<AnyMailbox>();
  #turn: "none" | "soon" | "under way" = "none";
  /** Streams that could not be made sense of. They stay due for ever, and must not be tried every second. */
  readonly #damaged = new Set<StreamName>();
  #stopped = false;
  #sweeping: Timer | undefined;
  /** With so many streams in memory, some leave before another comes. */
  #sweepFrom: number;

  constructor(options: HostOptions) {
    this.#log = options.log;
    this.#clock = options.clock;
    this.#deciders = options.deciders;
    this.#residentStreamsMax = options.residentStreamsMax ?? 100_000;
    this.#sweepFrom = this.#residentStreamsMax;
    this.#idleMs = options.idleMs ?? 5 * 60_000;
    this.#onCommit = options.onCommit ?? (() => {});
    this.#onDoubt = options.onDoubt ?? (() => {});
    this.#onError = (error) => {
      try {
        options.onError?.(error);
      } catch {
        // Whoever is told may fail too, as a logger on a full disk does. A turn that never ends would be worse.
      }
    };
    this.#alarm = new Alarm(this.#clock, () => void this.#wakeDue());
    this.#snapshots = new Snapshots(this.#log, options.snapshotTailMin ?? 25_000, this.#onError);
    this.#waking = new Waking({
      log: this.#log,
      clock: this.#clock,
      kinds: Object.keys(this.#deciders).filter((kind) => this.#deciders[kind].leases),
      bring: (stream) => this.#bring(stream),
      onError: this.#onError,
    });
    this.#outbox = new Outbox({
      log: this.#log,
      clock: this.#clock,
      deciders: this.#deciders,
      couriers: options.couriers ?? {},
      ask: (to, ask) => this.#ask(to, ask),
      onError: this.#onError,
    });
    this.deadLetters = new DeadLetters(this.#log, this.#outbox);
  }

  /** Wakes what came due while the server was down, and everything after it in time. */
  start(): void {
    this.#alarm.setFor(this.#clock.now());
    this.#waking.start();
    this.#outbox.wake();
    this.#sweepLater();
  }

  /** Finishes what it has begun, takes nothing new, and lets the log go. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const mailbox of this.#mailboxes.values()) mailbox.stopLeases();
    const waking = this.#waking.stop();
    const delivering = this.#outbox.stop();
    while (!this.#isQuiet()) await new Promise<void>((resolve) => this.#clock.after(quietCheckMs, resolve));
    // Only now: what was finished meanwhile may have set the alarm again, and a timer keeps the process alive.
    this.#alarm.stop();
    this.#sweeping?.cancel();
    await waking;
    await delivering;
    await this.#snapshots.finish();
    await this.#log.close();
  }

  /** What was recorded of ladders, to be asked for by query. */
  get ladderRecords(): LadderRecords {
    return this.#log;
  }

  /** What has become of that which entries caused elsewhere. */
  get deliveries(): Outbox["counts"] {
    return this.#outbox.counts;
  }

  get residentStreams(): number {
    return this.#mailboxes.size;
  }

  /** The streams of one kind, with their types. */
  streams<State, Command, Event>(kind: string): Streams<State, Command, Event> {
    return {
      ask: (id, ask) => this.#ask(`${kind}/${id}`, ask),
      read: (id, look) => this.#read(`${kind}/${id}`, look),
      peek: (id, look) => this.#peek(`${kind}/${id}`, look),
      entry: (id, version) => entryAt(this.#log, `${kind}/${id}`, version),
      entriesAfter: (id, version) => entriesAfter(this.#log, `${kind}/${id}`, version),
      lookAround: (max, look) => this.#lookAround(`${kind}/`, max, look),
      list: (query) => this.#log.list({ ...query, kind }),
      heard: (id, whose) => this.#heard(`${kind}/${id}`, whose),
      hold: (id, ticket) => this.#hold(`${kind}/${id}`, ticket),
    };
  }

  #ask<State, Command, Event>(stream: StreamName, ask: Ask<Command>): Promise<Outcome<State, Event>> {
    if (this.#stopped) return Promise.resolve({ refusal: stopping });
    const mailbox = this.#mailbox(stream);
    const outcome = mailbox.ask(ask);
    this.#wake(mailbox);
    return outcome;
  }

  async #read<State, T>(
    stream: StreamName,
    look: (state: State | undefined, version: number) => T,
  ): Promise<{ value: T } | { refusal: Refusal }> {
    if (this.#stopped) return { refusal: stopping };
    const mailbox = this.#mailbox(stream);
    const { durable } = mailbox;
    if (durable && !mailbox.isDue(this.#clock.now())) return { value: look(durable.state, durable.version) };
    const result = mailbox.read((loaded) => look(loaded.state, loaded.version));
    this.#wake(mailbox);
    return result;
  }

  #peek<State, T>(stream: StreamName, look: (state: State | undefined, version: number) => T): T | undefined {
    const mailbox = this.#mailboxes.get(stream);
    const durable = mailbox?.durable;
    if (!durable || this.#stopped) return undefined;
    const now = this.#clock.now();
    if (mailbox.isDue(now)) return undefined;
    mailbox.usedAt = now;
    return look(durable.state, durable.version);
  }

  async #lookAround<T>(prefix: string, max: number, look: (id: string, state: never) => T): Promise<T[]> {
    const found = [...this.#mailboxes.values()].filter(({ stream }) => stream.startsWith(prefix));
    found.sort((a, b) => b.usedAt - a.usedAt);
    const looks = found
      .slice(0, max)
      .map((mailbox) => mailbox.glance((state) => look(mailbox.stream.slice(prefix.length), state as never)));
    return (await Promise.all(looks)).flat();
  }

  #heard<State>(stream: StreamName, whose: Whose<State>): void {
    this.#mailboxes.get(stream)?.heard(whose);
  }

  #hold(stream: StreamName, ticket: number): Hold {
    return this.#holds.hold(stream, ticket, () => this.#heard(stream, ticket));
  }

  /** Into memory; false when it has to be tried again. */
  async #bring(stream: StreamName): Promise<boolean> {
    const read = await this.#read(stream, () => undefined);
    return !("refusal" in read && read.refusal.retryable);
  }

  #mailbox(stream: StreamName): AnyMailbox {
    const mailbox = this.#mailboxes.get(stream) ?? this.#newMailbox(stream);
    mailbox.usedAt = this.#clock.now();
    return mailbox;
  }

  #newMailbox(stream: StreamName): AnyMailbox {
    // Before it is there: a room that has just come must not leave with its asks in it, to be decided beside itself.
    if (this.#mailboxes.size >= this.#sweepFrom) this.#sweep();
    const mailbox: AnyMailbox = new Mailbox(stream, this.#deciderOf(stream), this.#log, {
      clock: this.#clock,
      held: () => this.#holds.of(stream),
      ring: () => this.#wake(mailbox),
    });
    this.#mailboxes.set(stream, mailbox);
    return mailbox;
  }

  #deciderOf(stream: StreamName): AnyDecider {
    return this.#deciders[stream.slice(0, stream.indexOf("/"))];
  }

  #wake(mailbox: AnyMailbox): void {
    this.#ready.add(mailbox);
    if (this.#turn === "none") this.#turnSoon();
  }

  /** Lets every mailbox that has something waiting decide it, and appends all of it in one go. */
  #takeTurn(): void {
    const ready = this.#ready;
    this.#ready = new Set();
    const now = this.#clock.now();
    const deciding: AnyMailbox[] = [];
    const appends: Append[] = [];
    for (const mailbox of ready) {
      if (mailbox.needsLoading) void this.#load(mailbox);
      const append = this.#decide(mailbox, now);
      // An id that stands for nothing is not kept: asking for random ones must not push out the rooms that there are.
      if (mailbox.quiet && mailbox.durable?.version === 0) this.#mailboxes.delete(mailbox.stream);
      if (!append) continue;
      deciding.push(mailbox);
      appends.push(append);
    }
    if (appends.length === 0) {
      this.#endTurn();
      return;
    }
    this.#turn = "under way";
    this.#log.append(appends).then(
      (outcomes) => {
        for (const [index, mailbox] of deciding.entries())
          this.#settle(mailbox, outcomes[index], appends[index].due);
        this.#endTurn();
      },
      (error) => {
        this.#fail(deciding, error);
        this.#endTurn();
      },
    );
  }

  /** Not at once: what is arriving right now makes the next batch about as large as this one was. */
  #endTurn(): void {
    this.#turn = "none";
    if (this.#ready.size > 0) this.#turnSoon();
  }

  #turnSoon(): void {
    this.#turn = "soon";
    this.#clock.soon(() => this.#takeTurn());
  }

  #decide(mailbox: AnyMailbox, now: Millis) {
    try {
      return mailbox.takeTurn(now);
    } catch (error) {
      this.#onError(error);
      this.#missed(mailbox);
      return undefined;
    }
  }

  /** What has lost its state comes back by itself: those in it may be gone, and then nobody asks for it. */
  #missed(mailbox: AnyMailbox): void {
    if (mailbox.isMissed) this.#waking.again(mailbox.stream);
  }

  #settle(mailbox: AnyMailbox, outcome: "appended" | "conflict", due: Millis | undefined): void {
    const committed = mailbox.settle(outcome);
    if (committed) {
      this.#alarm.setFor(due);
      if (committed.hasEffects) this.#outbox.wake();
      try {
        this.#onCommit(committed);
        this.#snapshots.consider(mailbox);
      } catch (error) {
        // Whoever listens may fail; the turn has to end all the same, or nobody is ever served again.
        this.#onError(error);
      }
    }
    this.#missed(mailbox);
    if (!mailbox.quiet) this.#ready.add(mailbox);
  }

  #fail(mailboxes: readonly AnyMailbox[], error: unknown): void {
    this.#onError(error);
    for (const mailbox of mailboxes) {
      mailbox.fail(error);
      this.#onDoubt(mailbox.stream);
      this.#missed(mailbox);
      if (!mailbox.quiet) this.#ready.add(mailbox);
    }
    // What failed may have been written all the same, with what it causes elsewhere.
    this.#outbox.wake();
    // Whatever was due is due still.
    this.#alarm.setFor((this.#clock.now() + retryMs) as Millis);
  }

  async #load(mailbox: AnyMailbox): Promise<void> {
    try {
      await mailbox.load();
      const { durable } = mailbox;
      if (durable) this.#clock.reach?.(durable.at);
      this.#wake(mailbox);
      this.#damaged.delete(mailbox.stream);
    } catch (error) {
      if (!(error instanceof LogUnavailable)) this.#damaged.add(mailbox.stream);
      this.#onError(error);
    }
  }

  async #wakeDue(): Promise<void> {
    const now = this.#clock.now();
    try {
      const due = await this.#log.due(now, dueStreamsMax);
      for (const stream of due) {
        if (this.#stopped) return;
        if (!this.#damaged.has(stream)) this.#wake(this.#mailbox(stream));
      }
      this.#alarm.setFor(await this.#log.nextDue(now));
      // What is being woken stays due until its entry is written. It is looked at again, but not at once.
      if (due.length > 0) this.#alarm.setFor((now + retryMs) as Millis);
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      this.#onError(error);
      this.#alarm.setFor((now + retryMs) as Millis);
    }
    if (this.#stopped) this.#alarm.stop();
  }

  #sweepLater(): void {
    this.#sweeping = this.#clock.after(this.#idleMs, () => {
      this.#sweep();
      this.#sweepLater();
    });
  }

  /** Idle streams leave memory; the log brings them back when they are asked for. */
  #sweep(): void {
    const now = this.#clock.now();
    const free = [...this.#mailboxes.values()].filter((mailbox) => !mailbox.mustStay);
    const quiet = free.filter((mailbox) => mailbox.quiet && !this.#ready.has(mailbox));
    const surplus = free.length - Math.floor(this.#residentStreamsMax * 0.9);
    // The others stay. If they counted, a host that has many would sweep in vain for every stream that comes.
    this.#sweepFrom = this.#residentStreamsMax + this.#mailboxes.size - free.length;
    quiet.sort((a, b) => a.usedAt - b.usedAt);
    quiet.forEach((mailbox, index) => {
      if (index < surplus || now - mailbox.usedAt >= this.#idleMs) this.#mailboxes.delete(mailbox.stream);
    });
  }

  #isQuiet(): boolean {
    if (this.#turn !== "none" || this.#ready.size > 0) return false;
    for (const mailbox of this.#mailboxes.values()) if (!mailbox.quiet) return false;
    return true;
  }
}
