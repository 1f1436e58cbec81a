import type { Decider, Millis, Refusal } from "@openseat/kernel";
import type { Entry } from "../log/entry.ts";
import type { Append, Head, Log, StoredBatch, StreamName } from "../log/log.ts";
import { type Ask, conflict, type Outcome, type PendingAsk } from "./asks.ts";
import { Batch } from "./batch.ts";
import type { LeaseContext } from "./lease-run.ts";
import type { Membership } from "./membership.ts";
import { Presence } from "./presence.ts";
import { type Read, Reads } from "./reads.ts";
import { answerAgain } from "./repeated-keys.ts";
import type { Slots } from "./slots.ts";
import { StreamMemory } from "./stream-memory.ts";
import { LogDamaged, type StreamState } from "./stream-state.ts";
import { StreamTime } from "./stream-time.ts";
import { refusalFor } from "./trouble.ts";

export type { Entry } from "../log/entry.ts";
export type { Ask, Outcome } from "./asks.ts";

export interface Committed<Event> {
  readonly stream: StreamName;
  readonly entries: readonly Entry<Event>[];
  /** As the last of them left it. To be looked at while it is handed over: a moment later it may have gone on. */
  readonly state: unknown;
  /** Whether they cause something in other streams. */
  readonly hasEffects: boolean;
}

/** A ticket, or how to find it: also in what is not durable yet, for nobody is shown it. */
export type Whose<State> = number | ((state: State) => number | undefined);

/** What a mailbox has to know of the host that it is in. */
export interface Surroundings extends Omit<LeaseContext<never>, "state"> {
  readonly membership: Membership;
  /** So many streams at once are brought into memory, or up to what the log has. */
  readonly fetches: Slots;
}

/** What is on its way to the disk, and who asked for it. */
interface Flight<State, Command, Event> {
  readonly asks: PendingAsk<State, Command, Event>[];
  readonly batch: Batch<State, Command, Event>;
}

const limits = {
  /** Commands that may wait for one stream; past it, asking is refused. */
  waitingMax: 65_536,
  /** Past it, only what has begun may wait. */
  newWaitingMax: 8_192,
  batchCommandsMax: 1_024,
  /** Entries of this length in all end a batch: the rest waits for the next, and others have their turn between. */
  batchCharactersMax: 1_000_000,
  /** How often a batch is decided anew when someone else has changed the stream meanwhile. */
  attemptsMax: 5,
} as const;

/** Streams differ in type; the host treats all alike and gives each its type back through `Streams`. */
// biome-ignore lint/suspicious/noExplicitAny: the one place where mailboxes of all kinds stand side by side
export type AnyMailbox = Mailbox<any, any, any>;

/**
 * One stream: what waits to be decided, what has been decided and is on its way to the disk, and the state in
 * memory. One batch is in flight at a time; commands that arrive meanwhile form the next. That is group commit,
 * and it is why a hot room does not need one flush a join.
 */
export class Mailbox<State, Command, Event> {
  readonly stream: StreamName;
  /** When it was last asked for anything, by `clock.elapsed`: the ones that were quiet longest leave memory first. */
  usedAt = 0;
  readonly decider: Decider<State, Command, Event>;
  readonly #log: Log;
  readonly #surroundings: Surroundings;
  /** Undefined when no place in this stream ever has to be heard of, as far as it is known. */
  #presence: Presence<State, Command> | undefined;
  readonly #memory: StreamMemory<State, Command, Event>;
  readonly #time: StreamTime;
  #asks: PendingAsk<State, Command, Event>[] = [];
  readonly #reads = new Reads<State>();
  /** From when a turn is asked for until what came of it is known. */
  #isInTurn = false;
  /** So many waited when the turn was asked for. */
  #entered = 0;
  #inFlight: Flight<State, Command, Event> | undefined;
  /** The newest entry that was decided here, and when that was, by `clock.elapsed`. */
  #decided = { version: 0, at: 0 };
  /** Others have written more than a turn waits for. */
  #isFarBehind = false;
  /** The version that was read, if its clock is to restart: once the clock on the wall is set back, that cannot be told any more. */
  #stoppedVersion: number | undefined;
  #replays = 0;

  constructor(
    stream: StreamName,
    decider: Decider<State, Command, Event>,
    log: Log,
    surroundings: Surroundings,
  ) {
    this.stream = stream;
    this.decider = decider;
    this.#log = log;
    this.#surroundings = surroundings;
    this.#memory = new StreamMemory(log, stream, decider, surroundings);
    this.#time = new StreamTime(surroundings.clock);
    this.#presence = this.#newPresence();
  }

  #newPresence(): Presence<State, Command> | undefined {
    const { leases } = this.decider;
    return leases && new Presence(leases, { ...this.#surroundings, state: () => this.#loaded?.state });
  }

  get #loaded(): StreamState<State> | undefined {
    return this.#memory.loaded;
  }

  /** Nobody waits for anything here. */
  get quiet(): boolean {
    const waiting = this.#asks.length + this.#reads.size + this.#replays;
    return waiting === 0 && !this.#isInTurn && !this.#memory.isFetching && !this.isUnsettled;
  }

  /** Somebody here has to be heard of: out of memory, nobody would notice that they are not. */
  get mustStay(): boolean {
    if (this.#presence?.isRunning) return true;
    // Each time that it was read again, the clock could restart, and the turn would never end.
    return this.#memory.aheadVersion !== undefined && this.#hasClock(this.#loaded?.state);
  }

  #hasClock(state: State | undefined): boolean {
    return state !== undefined && this.decider.hasClock?.(state) === true;
  }

  /** Undefined where nobody ever has to be heard of. */
  #isLeased(state: State): boolean | undefined {
    return this.decider.leases && (this.#presence?.isNeededFor(state) === true || this.#hasClock(state));
  }

  /** The state was let go of, and somebody in it may have to be heard of. */
  get isMissed(): boolean {
    return this.mayBeLeased && this.needsLoading;
  }

  /** Somebody here may have to be heard of, now or later. */
  get mayBeLeased(): boolean {
    return this.#presence !== undefined;
  }

  /** It is not settled yet who lapses or is back: it may have to be waited for what other nodes have heard. */
  get isUnsettled(): boolean {
    return this.#presence?.isUnsettled === true;
  }

  /** A sign of life. It must not wait for anything: what is decided a moment later has to count it. */
  heard(whose: Whose<State>): void {
    if (!this.mayBeLeased) return;
    const ticket = this.ticketOf(whose);
    if (ticket !== undefined) this.#presence!.heard(ticket);
  }

  heardSince(ticket: number): Millis | undefined {
    return this.#presence?.heardSince(ticket);
  }

  /** Undefined when there is no such place, or it cannot be told yet. */
  ticketOf(whose: Whose<State>): number | undefined {
    const state = this.#loaded?.state;
    return typeof whose === "function" ? state && whose(state) : whose;
  }

  /** Everybody has a full fresh window, if this is the node that keeps the leases. */
  beginLeases(): void {
    this.#presence?.forget();
    this.#followPresence(this.#loaded?.state);
  }

  #followPresence(state: State | undefined): void {
    if (state === undefined) return;
    // Asked anew each time: where the log went back, it may be another room.
    if (this.decider.mayLease?.(state) === false) this.#presence = undefined;
    else this.#presence ??= this.#newPresence();
    this.#presence?.follow(state);
  }

  /** Nothing lapses here any more, or not until `beginLeases`. */
  endLeases(): void {
    this.#presence?.forget();
  }

  /** The state in memory, if there is one and all of it is durable. */
  get durable(): StreamState<State> | undefined {
    return this.#inFlight && this.#inFlight.batch.entries.length > 0 ? undefined : this.#loaded;
  }

  /** Whether too many wait here for one more. */
  isFullFor({ isNew }: Ask<Command>): boolean {
    return this.#asks.length + this.#replays >= (isNew ? limits.newWaitingMax : limits.waitingMax);
  }

  ask(ask: Ask<Command>): Promise<Outcome<State, Event>> {
    return new Promise((resolve) => this.#asks.push({ ...ask, attempts: 0, resolve }));
  }

  /** All that is durable and nothing else, if that is known without asking the log. */
  get fresh(): StreamState<State> | undefined {
    return this.#surroundings.membership.isMemoryFresh ? this.durable : undefined;
  }

  /** Reads wait for the append in flight, so that nobody sees what may yet be lost, and until it is known how far the stream is. */
  read<T>(look: (loaded: StreamState<State>) => T): Promise<{ value: T } | { refusal: Refusal }> {
    return this.#reads.wait(look, this.#surroundings.membership.isMemoryFresh ? 0 : undefined);
  }

  /** A look at a stream that is in memory, once all of it is durable; an empty list when there is nothing to see. */
  async glance<T>(look: (state: State) => T): Promise<T[]> {
    if (this.needsLoading) return [];
    const lookIfThere = ({ state }: StreamState<State>) => (state === undefined ? [] : [look(state)]);
    if (this.fresh) return lookIfThere(this.fresh);
    const found = await this.read(lookIfThere);
    return "value" in found ? found.value : [];
  }

  /** Whether somebody wants to know something that is not known here: how far the stream is by now. */
  get isUnsure(): boolean {
    return this.#reads.hasUnsure;
  }

  /** Those who have to know it. To be given back, with what it was after this moment, to `assure`. */
  takeUnsure(): readonly Read<State>[] {
    return this.#reads.takeUnsure();
  }

  /**
   * `before` is the head that was in memory when the log was asked, `head` what it has. True when memory was dropped because the log
   * does not hold it (CL6): these reads would be shown what is lost.
   */
  assure(reads: readonly Read<State>[], before: Head, head: Head | undefined): boolean {
    const version = head?.version ?? 0;
    const isForked =
      version < before.version || (version === before.version && version > 0 && head!.hash !== before.hash);
    if (!isForked) {
      this.#reads.assure(reads, version);
      this.know(version);
      return false;
    }
    // Memory has changed meanwhile, or is about to: then it has to be asked once more.
    this.#reads.putBack(reads);
    if (!this.isAtRest || this.head !== before) return false;
    this.#letGo();
    return true;
  }

  /** Those for whom what is in memory is enough. */
  serveReads(): void {
    if (this.isAtRest) this.#reads.serve(this.#loaded!);
  }

  refuseReads(reads: readonly Read<State>[], error: unknown): void {
    this.#reads.refuseTaken(reads, refusalFor(error));
  }

  /** The stream is known to have this version. */
  know(version: number): void {
    this.#memory.know(version);
  }

  /** Others have written what is not in memory yet, and nothing is on its way to bring it: `catchUp` does. */
  get isBehind(): boolean {
    return this.isAtRest && this.#memory.isBehind;
  }

  /** Somebody waits for what others have written; otherwise the next turn will bring it. */
  get mustCatchUp(): boolean {
    return this.#reads.size > 0 || this.#isFarBehind;
  }

  /** The state is there, and nothing is about to change it. */
  get isAtRest(): boolean {
    return this.#loaded !== undefined && !this.#isInTurn && !this.#memory.isFetching;
  }

  /** True when the state has to be fetched first: call `load`, and come back when it is done. */
  get needsLoading(): boolean {
    return !this.#loaded && !this.#memory.isFetching;
  }

  async load(): Promise<void> {
    try {
      await this.#memory.load();
      const loaded = this.#loaded!;
      const isStopped = this.#isToBeRevived(loaded, this.#surroundings.clock.now());
      this.#stoppedVersion = isStopped ? loaded.version : undefined;
      this.#followPresence(loaded.state);
    } catch (error) {
      this.#refuseAll(refusalFor(error));
      throw error;
    }
  }

  /**
   * Reads on from where the state is; `onAbsorbed` is told of each page. True when memory was dropped because what the log has does
   * not follow from it (CL6).
   */
  async catchUp(onAbsorbed: (committed: Committed<Event>) => void): Promise<boolean> {
    try {
      for await (const entries of this.#memory.catchUp()) onAbsorbed(this.#absorbed(entries));
      this.#reads.serve(this.#loaded!);
    } catch (error) {
      if (!this.#loaded) this.#presence?.forget();
      // What waits is decided, or shown, once it has been read again: only then is it known whether the log is damaged.
      if (error instanceof LogDamaged) return true;
      this.#refuseAll(refusalFor(error));
      throw error;
    } finally {
      this.#isFarBehind = false;
    }
    return false;
  }

  #absorbed(entries: readonly Entry<Event>[]): Committed<Event> {
    const { state } = this.#loaded!;
    this.#followPresence(state);
    return { stream: this.stream, entries, state, hasEffects: false };
  }

  /** Whether a turn here could do anything; if so, it has begun, and `takeTurn` or `leaveTurn` has to follow. */
  enterTurn(now: Millis): boolean {
    if (!this.isAtRest || this.#isFarBehind || this.isHeldBack(now) || !this.#hasWork(now)) return false;
    this.#isInTurn = true;
    this.#entered = this.#asks.length;
    return true;
  }

  #hasWork(now: Millis): boolean {
    if (this.#asks.length > 0 || this.isDue(now)) return true;
    const loaded = this.#loaded!;
    const { state } = loaded;
    if (this.#hasClock(state) && this.#isToBeRevived(loaded, now)) return true;
    // Not each time a window ends: of thousands of rooms with nobody silent or back in them, none needs a turn.
    return state !== undefined && this.#presence?.hasNews(state, this.timeAt(now)) === true;
  }

  /** The version that is in memory. */
  get version(): number {
    return this.#loaded?.version ?? 0;
  }

  /** What is in memory and in the log: without what is on its way there. */
  get head(): Head {
    return this.#memory.head;
  }

  /**
   * CL6: the version in memory, if memory goes back to before this moment: the log is asked whether it holds that. 0 if it does not:
   * what was read since may be from another log than what was shown before.
   */
  versionSince(since: number): number {
    return this.#memory.loadedAt < since ? this.head.version : 0;
  }

  /** CL6: the log does not hold what was in memory. What waits is decided on what the log has. */
  dropForked(): void {
    this.#isInTurn = false;
    this.#letGo();
  }

  /** The turn came to nothing: others have written more than it waits for. */
  leaveTurn(): void {
    this.#isInTurn = false;
    this.#isFarBehind = true;
    this.know(this.version + 1);
  }

  /** The turn could not be had. Nothing has changed, and the state is as good as before. */
  refuseTurn(error: unknown): void {
    this.#isInTurn = false;
    this.refuseWaiting(error);
  }

  refuseWaiting(error: unknown): void {
    this.#refuseAll(refusalFor(error));
  }

  /**
   * Decides all that waits, after what others have written. What it returns has to be appended, and the result told to
   * `settle`.
   */
  takeTurn(
    now: Millis,
    tail: readonly StoredBatch[],
    onAbsorbed: (committed: Committed<Event>) => void,
  ): Append | undefined {
    const loaded = this.#loaded!;
    // What is not there yet could not be locked: another node may have made it since, and told those who ask only now.
    const isLocked = loaded.version > 0 || tail.length > 0;
    const asks = this.#asks.splice(0, Math.min(isLocked ? Infinity : this.#entered, limits.batchCommandsMax));
    let batch: Batch<State, Command, Event>;
    try {
      if (tail.length > 0) onAbsorbed(this.#absorbed(this.#memory.absorb(tail)));
      // Nobody else can have written anything since: that is what a turn is.
      if (isLocked) this.#reads.assureAll(loaded.version);
      if (this.isHeldBack(now)) {
        this.#isInTurn = false;
        this.#asks.unshift(...asks);
        return undefined;
      }
      batch = this.#decideBatch(loaded, asks, now);
    } catch (error) {
      // A fault in the rules: the state may be half changed, so it is thrown away. Nothing was written.
      this.#isInTurn = false;
      this.#letGo();
      this.#asks.unshift(...asks);
      this.#refuseAll(refusalFor(error));
      throw error;
    }
    this.#inFlight = { asks, batch };
    // Refusals wait for the commit too: only then is it known that they were decided on the latest state.
    if (batch.entries.length === 0) return undefined;
    this.#decided = { version: loaded.version, at: this.#surroundings.clock.elapsed() };
    const append = batch.appendTo(this.stream, this.#isLeased(loaded.state!));
    return { ...append, due: append.due && this.#time.byClock(append.due, now, loaded.at) };
  }

  #decideBatch(
    loaded: StreamState<State>,
    asks: PendingAsk<State, Command, Event>[],
    now: Millis,
  ): Batch<State, Command, Event> {
    const time = this.timeAt(now);
    const batch = new Batch(this.decider, loaded, time);
    const before = loaded.characters;
    const { revive, tick } = this.decider;
    if (revive !== undefined && this.#isToBeRevived(loaded, now)) batch.decideAlone(revive);
    if (this.#wantsToWakeBy(time)) batch.decideAlone(tick);
    if (this.#presence) batch.settlePresence(this.#presence.runs);
    for (const [index, ask] of asks.entries()) {
      if (loaded.characters - before > limits.batchCharactersMax) {
        this.#asks.unshift(...asks.splice(index));
        break;
      }
      const known = ask.key === undefined ? undefined : loaded.keys.find(ask.by, ask.key);
      if (known !== undefined) batch.answers.push(() => void this.#replay(ask, known));
      else batch.decide(ask, ask.resolve);
    }
    return batch;
  }

  /** Time has passed that nobody could use. */
  #isToBeRevived({ state, at, version }: StreamState<State>, now: Millis): boolean {
    if (state === undefined) return false;
    const { membership } = this.#surroundings;
    // If the clock was set back since, the entry may be dated after the outage. What was decided here is compared by elapsed time.
    if (version <= this.#decided.version && this.#decided.at < membership.interruptedAt) return true;
    return membership.isInterruptedSince({
      // A stream that is ahead dates its entries by its own time (CK3), and outages are dated by the clock.
      at: this.#time.byClock(at, now, at),
      unreadableUntil: this.#memory.unreadableUntil(now),
      isAhead: version === this.#memory.aheadVersion,
      wasStopped: version === this.#stoppedVersion,
    });
  }

  /**
   * AR9: an outage may have stopped its clock, which this node learns with its next heartbeat. An entry written before that would be
   * newer than the outage, and no node would restart the clock any more.
   */
  isHeldBack(now: Millis): boolean {
    if (this.decider.revive === undefined || this.#surroundings.membership.isCurrent) return false;
    return this.isDue(now) || this.#hasClock(this.#loaded?.state);
  }

  /** CK3: what the time is in this stream. */
  timeAt(now: Millis): Millis {
    return this.#loaded ? this.#time.at(now, this.#loaded.at) : now;
  }

  /** Whether the stream wanted to be woken by now. */
  isDue(now: Millis): boolean {
    return this.#wantsToWakeBy(this.timeAt(now));
  }

  #wantsToWakeBy(time: Millis): boolean {
    const state = this.#loaded?.state;
    const due = state === undefined ? undefined : this.decider.nextDue(state);
    return due !== undefined && due <= time;
  }

  /** Whether something was decided that is not known to be durable. */
  get isInFlight(): boolean {
    return this.#inFlight !== undefined;
  }

  /** Only now, with the batch on the disk, is anyone answered. Returns what others may be shown. */
  settle(outcome: "committed" | "conflict"): Committed<Event> | undefined {
    const { asks, batch } = this.#inFlight!;
    this.#inFlight = undefined;
    this.#isInTurn = false;
    if (outcome === "conflict") {
      this.#decideAgain(asks);
      return undefined;
    }
    const loaded = this.#loaded!;
    this.#memory.noteHead();
    this.#followPresence(loaded.state);
    for (const answer of batch.answers) answer();
    this.#reads.serve(loaded);
    if (batch.entries.length === 0) return undefined;
    const { entries, effects } = batch;
    return { stream: this.stream, entries, state: loaded.state, hasEffects: effects.length > 0 };
  }

  /** The append may or may not have been written. What is in memory is no longer known to be true: let it go. */
  fail(error: unknown): void {
    const { asks, batch } = this.#inFlight!;
    this.#inFlight = undefined;
    this.#isInTurn = false;
    if (batch.entries.length > 0) this.#letGo();
    const refusal = refusalFor(error);
    for (const ask of asks) ask.resolve({ refusal });
    // Reads too: of a room that is due they would bring on the same append at once, and again, without a pause.
    this.#reads.refuse(refusal);
  }

  #letGo(): void {
    this.#memory.letGo();
    this.#presence?.forget();
  }

  /** Answers everything that waits with the same refusal. */
  #refuseAll(refusal: Refusal): void {
    for (const ask of this.#asks.splice(0)) ask.resolve({ refusal });
    this.#reads.refuse(refusal);
  }

  #decideAgain(asks: PendingAsk<State, Command, Event>[]): void {
    this.#letGo();
    const again = asks.filter((ask) => {
      if (++ask.attempts < limits.attemptsMax) return true;
      ask.resolve({ refusal: conflict });
      return false;
    });
    this.#asks.unshift(...again);
  }

  async #replay(ask: PendingAsk<State, Command, Event>, version: number): Promise<void> {
    this.#replays++;
    const { stream, decider } = this;
    try {
      ask.resolve(await answerAgain({ log: this.#log, stream, decider }, ask, version, this.#loaded?.state));
    } catch (error) {
      ask.resolve({ refusal: refusalFor(error) });
    } finally {
      this.#replays--;
    }
  }
}
