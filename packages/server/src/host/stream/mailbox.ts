import type { Decider, Millis, Refusal } from "@openseat/kernel";
import type { Entry } from "../../log/entry.ts";
import type { Append, Head, Log, StoredBatch, StreamName } from "../../log/log.ts";
import type { Membership } from "../cluster/membership.ts";
import { Batch } from "../commit/batch.ts";
import type { Committed } from "../commit/committed.ts";
import type { Whose } from "../presence/heartbeats.ts";
import type { LeaseContext } from "../presence/lease-run.ts";
import { StreamPresence } from "../presence/stream-presence.ts";
import type { Slots } from "../slots.ts";
import { refusalFor } from "../trouble.ts";
import { type Ask, type Outcome, type PendingAsk, toDecideAgain } from "./asks.ts";
import { Replays } from "./keys/repeated-keys.ts";
import type { Activity, Commit, Phase } from "./phase.ts";
import { type Read, Reads } from "./reads.ts";
import { StreamClock } from "./stream-clock.ts";
import { hasGoneBack, StreamMemory } from "./stream-memory.ts";
import { LogDamaged, type StreamState } from "./stream-state.ts";

/** What a mailbox has to know of the host that it is in. */
export interface Surroundings extends Omit<LeaseContext<never>, "state"> {
  readonly membership: Membership;
  /** Limits how many streams are read from the log at once. */
  readonly fetches: Slots;
}

const limits = {
  /** Commands that may wait for one stream; past it, asking is refused. */
  waitingMax: 65_536,
  /** Past it, only what has begun may wait. */
  newWaitingMax: 8_192,
  batchCommandsMax: 1_024,
  /** Entries of this length in all end a batch: the rest waits for the next, and other rooms come in between. */
  batchCharactersMax: 1_000_000,
} as const;

/** Streams differ in type; the host treats all alike and gives each its type back through `Streams`. */
// biome-ignore lint/suspicious/noExplicitAny: the one place where mailboxes of all kinds stand side by side
export type AnyMailbox = Mailbox<any, any, any>;

/**
 * One stream: what waits to be decided, what is on its way to the disk, and the state in memory. One batch is in flight at a time;
 * commands that arrive meanwhile form the next. That is group commit: a hot room does not need one flush per join.
 */
export class Mailbox<State, Command, Event> {
  readonly stream: StreamName;
  /** When it was last asked for anything, by `clock.elapsed`: the ones that were quiet longest leave memory first. */
  usedAt = 0;
  readonly decider: Decider<State, Command, Event>;
  readonly #surroundings: Surroundings;
  readonly #memory: StreamMemory<State, Command, Event>;
  readonly presence: StreamPresence<State, Command>;
  readonly clock: StreamClock<State, Command, Event>;
  #asks: PendingAsk<State, Command, Event>[] = [];
  readonly reads = new Reads<State>();
  #activity: Activity<State, Command, Event> | undefined;
  /** Others have appended more than a commit waits for. */
  #isFarBehind = false;
  readonly #replays = new Replays();
  readonly log: Log;

  constructor(
    stream: StreamName,
    decider: Decider<State, Command, Event>,
    log: Log,
    surroundings: Surroundings,
  ) {
    this.stream = stream;
    this.decider = decider;
    this.#surroundings = surroundings;
    this.log = log;
    this.#memory = new StreamMemory(log, stream, decider, surroundings);
    this.clock = new StreamClock(decider, this.#memory, surroundings);
    this.presence = new StreamPresence(decider, surroundings, this.#memory);
  }

  get #loaded(): StreamState<State> | undefined {
    return this.#memory.loaded;
  }

  get phase(): Phase {
    if (this.#activity) return this.#activity.name;
    if (!this.#loaded) return "absent";
    return this.#memory.isBehind ? "stale" : "idle";
  }

  get #commit(): Commit<State, Command, Event> | undefined {
    return this.#activity?.name === "committing" ? this.#activity : undefined;
  }

  /** The state is there, and nothing is about to change it. */
  get isAtRest(): boolean {
    return this.phase === "idle" || this.phase === "stale";
  }

  /** Nobody waits for anything here. */
  get isQuiet(): boolean {
    const waiting = this.#asks.length + this.reads.size + this.#replays.size;
    return waiting === 0 && !this.#activity && !this.presence.isUnsettled;
  }

  /** Out of memory, nobody would notice who is silent, or whose time runs. */
  get mustStay(): boolean {
    return this.presence.isRunning || this.clock.mustStay;
  }

  /** Undefined where nobody ever has to be heard of. */
  #isLeased(state: State): boolean | undefined {
    return this.decider.presence && (this.presence.isNeededFor(state) || this.clock.isRunning);
  }

  /** Undefined when there is no such place, or it cannot be told yet. */
  ticketOf(whose: Whose<State>): number | undefined {
    const state = this.#loaded?.state;
    return typeof whose === "function" ? state && whose(state) : whose;
  }

  /** The state in memory, if there is one and all of it is durable. */
  get durable(): StreamState<State> | undefined {
    return this.#commit?.decided?.batch.entries.length ? undefined : this.#loaded;
  }

  /** Whether too many wait here for one more. */
  isFullFor({ isNew }: Ask<Command>): boolean {
    return this.#asks.length + this.#replays.size >= (isNew ? limits.newWaitingMax : limits.waitingMax);
  }

  ask(ask: Ask<Command>): Promise<Outcome<State, Event>> {
    return new Promise((resolve) => this.#asks.push({ ...ask, attempts: 0, resolve }));
  }

  /** All that is durable and nothing else, if that is known without asking the log. */
  get fresh(): StreamState<State> | undefined {
    return this.#surroundings.membership.newest(this.durable);
  }

  /** Reads wait for the append in flight, so that nobody sees what may yet be lost, and until it is known how far the stream is. */
  read<T>(look: (loaded: StreamState<State>) => T): Promise<{ value: T } | { refusal: Refusal }> {
    const seen = this.reads.wait(look);
    this.#surroundings.membership.admit(this.reads);
    return seen;
  }

  /**
   * `before` is the head that was in memory when the log was asked, `head` what it has. True when memory was dropped because the log
   * does not hold it (CL6): these reads would be shown what is lost.
   */
  assure(reads: readonly Read<State>[], before: Head, head: Head | undefined): boolean {
    if (!hasGoneBack(before, head)) {
      this.reads.assure(reads, head?.version ?? 0);
      this.know(head?.version ?? 0);
      return false;
    }
    // Memory has changed meanwhile, or is about to: then it has to be asked once more.
    this.reads.putBack(reads);
    if (!this.isAtRest || this.head !== before) return false;
    this.#letGo();
    return true;
  }

  /** Those for whom what is in memory is enough. */
  serveReads(): void {
    if (this.isAtRest) this.reads.serve(this.#loaded!);
  }

  /** The stream is known to have this version. */
  know(version: number): void {
    this.#memory.know(version);
  }

  /** Somebody waits for what others have written; otherwise the next commit will bring it. */
  get mustCatchUp(): boolean {
    return this.reads.size > 0 || this.#isFarBehind;
  }

  async load(): Promise<void> {
    this.#activity = { name: "loading" };
    try {
      await this.#memory.load();
      this.clock.noteRead();
      this.presence.follow();
    } catch (error) {
      this.refuseWaiting(error);
      throw error;
    } finally {
      this.#activity = undefined;
    }
  }

  /**
   * Reads on from where the state is; `onAbsorbed` is told of each page. True when memory was dropped because what the log has does
   * not follow from it (CL6).
   */
  async catchUp(onAbsorbed: (committed: Committed<Event>) => void): Promise<boolean> {
    this.#activity = { name: "catching-up" };
    try {
      for await (const entries of this.#memory.catchUp()) onAbsorbed(this.#absorbed(entries));
      this.reads.serve(this.#loaded!);
    } catch (error) {
      if (!this.#loaded) this.presence.end();
      // What waits is decided, or shown, once it has been read again: only then is it known whether the log is damaged.
      if (error instanceof LogDamaged) return true;
      this.refuseWaiting(error);
      throw error;
    } finally {
      this.#activity = undefined;
      this.#isFarBehind = false;
    }
    return false;
  }

  #absorbed(entries: readonly Entry<Event>[]): Committed<Event> {
    this.presence.follow();
    return { stream: this.stream, entries, state: this.#loaded!.state, hasEffects: false };
  }

  /** Whether a commit here could do anything; if so, it has begun, and `decide`, `leaveCommit` or `refuseCommit` has to follow. */
  enterCommit(now: Millis): boolean {
    if (!this.isAtRest || this.#isFarBehind || this.clock.isHeldBack(now) || !this.#hasWork(now))
      return false;
    this.#activity = { name: "committing", entered: this.#asks.length };
    return true;
  }

  #hasWork(now: Millis): boolean {
    if (this.#asks.length > 0 || this.clock.isDue(now)) return true;
    const loaded = this.#loaded!;
    if (this.clock.isRunning && this.clock.isToRestart(loaded, now)) return true;
    // Not each time a window ends: of thousands of rooms with nobody silent or back in them, none needs a commit.
    const { state } = loaded;
    return state !== undefined && this.presence.hasNews(state, this.clock.timeAt(now));
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
    this.#activity = undefined;
    this.#letGo();
  }

  /** The commit came to nothing: others have appended more than it waits for. */
  leaveCommit(): void {
    this.#activity = undefined;
    this.#isFarBehind = true;
    this.know(this.version + 1);
  }

  /** There was no commit. Nothing has changed, and the state is as good as before. */
  refuseCommit(error: unknown): void {
    this.#activity = undefined;
    this.refuseWaiting(error);
  }

  /** Answers everything that waits with the same refusal. */
  refuseWaiting(error: unknown): void {
    const refusal = refusalFor(error);
    for (const ask of this.#asks.splice(0)) ask.resolve({ refusal });
    this.reads.refuse(refusal);
  }

  /** Decides all that waits, after what others have appended. What it returns has to be appended, and the result told to `settle`. */
  decide(
    now: Millis,
    tail: readonly StoredBatch[],
    onAbsorbed: (committed: Committed<Event>) => void,
  ): Append | undefined {
    const loaded = this.#loaded!;
    // What is not there yet could not be locked: another node may have made it since, and told those who ask only now.
    const isLocked = loaded.version > 0 || tail.length > 0;
    const asks = this.#asks.splice(
      0,
      Math.min(isLocked ? Infinity : this.#commit!.entered, limits.batchCommandsMax),
    );
    let batch: Batch<State, Command, Event>;
    try {
      if (tail.length > 0) onAbsorbed(this.#absorbed(this.#memory.absorb(tail)));
      // Nobody else can append anything until the commit is over.
      if (isLocked) this.reads.assureAll(loaded.version);
      if (this.clock.isHeldBack(now)) {
        this.#activity = undefined;
        this.#asks.unshift(...asks);
        return undefined;
      }
      batch = this.#decideBatch(loaded, asks, now);
    } catch (error) {
      // A fault in the rules: the state may be half changed, so it is thrown away. Nothing was written.
      this.#activity = undefined;
      this.#letGo();
      this.#asks.unshift(...asks);
      this.refuseWaiting(error);
      throw error;
    }
    this.#commit!.decided = { asks, batch };
    if (batch.entries.length === 0) {
      this.#surroundings.membership.noteRefused(this);
      return undefined;
    }
    this.clock.noteDecided(loaded.version);
    const append = batch.appendTo(this.stream, this.#isLeased(loaded.state!));
    return { ...append, due: append.due && this.clock.byClock(append.due, now) };
  }

  #decideBatch(
    loaded: StreamState<State>,
    asks: PendingAsk<State, Command, Event>[],
    now: Millis,
  ): Batch<State, Command, Event> {
    const time = this.clock.timeAt(now);
    const batch = new Batch(this.decider, loaded, time);
    const before = loaded.characters;
    const { clock, tick } = this.decider;
    if (clock && this.clock.isToRestart(loaded, now)) batch.decideAlone(clock.revive);
    if (this.clock.wantsToWakeBy(time)) batch.decideAlone(tick);
    batch.settlePresence(this.presence.runs);
    for (const [index, ask] of asks.entries()) {
      if (loaded.characters - before > limits.batchCharactersMax) {
        this.#asks.unshift(...asks.splice(index));
        break;
      }
      const known = ask.key === undefined ? undefined : loaded.keys.find(ask.by, ask.key);
      if (known !== undefined)
        batch.answers.push(() => void this.#replays.answer(this, ask, known, this.#loaded?.state));
      else batch.decide(ask, ask.resolve);
    }
    return batch;
  }

  /** Whether something was decided whose outcome is not known. */
  get hasDecided(): boolean {
    return this.#commit?.decided !== undefined;
  }

  /** Only now, with the batch on the disk, is anyone answered. Returns what others may be shown. */
  settle(outcome: "committed" | "conflict"): Committed<Event> | undefined {
    const { asks, batch } = this.#commit!.decided!;
    this.#activity = undefined;
    if (outcome === "conflict") {
      this.#decideAgain(asks);
      return undefined;
    }
    const loaded = this.#loaded!;
    this.#memory.noteHead();
    this.presence.follow();
    for (const answer of batch.answers) answer();
    this.reads.serve(loaded);
    if (batch.entries.length === 0) return undefined;
    const hasEffects = batch.effects.length > 0;
    return { stream: this.stream, entries: batch.entries, state: loaded.state, hasEffects };
  }

  /** Returns whether something may have been written. Then memory is not known to be true any more, and is let go of. */
  fail(error: unknown): boolean {
    const { asks, batch } = this.#commit!.decided!;
    this.#activity = undefined;
    const isDoubtful = batch.entries.length > 0;
    if (isDoubtful) this.#letGo();
    const refusal = refusalFor(error);
    for (const ask of asks) ask.resolve({ refusal });
    // Reads too: of a room that is due they would bring on the same append at once, and again, without a pause.
    this.reads.refuse(refusal);
    return isDoubtful;
  }

  #letGo(): void {
    this.#isFarBehind = false;
    this.#memory.letGo();
    this.presence.end();
  }

  #decideAgain(asks: PendingAsk<State, Command, Event>[]): void {
    this.#letGo();
    this.#asks.unshift(...toDecideAgain(asks));
  }
}
