import type { Decider, Millis } from "@openseat/kernel";
import type { Entry } from "../../log/entry.ts";
import type { Append, Head, Log, StoredBatch, StreamName } from "../../log/log.ts";
import type { Membership } from "../cluster/membership.ts";
import { Batch } from "../commit/batch.ts";
import type { Committed } from "../commit/committed.ts";
import { refusalFor } from "../failures.ts";
import type { TicketSource } from "../presence/heartbeats.ts";
import type { LeaseContext } from "../presence/lease-run.ts";
import { StreamPresence } from "../presence/stream-presence.ts";
import type { Slots } from "../slots.ts";
import type { ReadResult } from "../streams.ts";
import { type Ask, type AskOutcome, type PendingAsk, toDecideAgain } from "./asks.ts";
import { answerAgain } from "./keys/repeated-keys.ts";
import { type Read, Reads } from "./reads.ts";
import { StreamClock } from "./stream-clock.ts";
import { hasGoneBack, StreamMemory } from "./stream-memory.ts";
import { LogDamaged, type StreamState } from "./stream-state.ts";

export interface Surroundings extends Omit<LeaseContext<never>, "state"> {
  readonly log: Log;
  readonly membership: Membership;
  /** Limits concurrent loads from the log: otherwise requests would wait for all of them. */
  readonly fetches: Slots;
}

const limits = {
  waitingMax: 65_536,
  newWaitingMax: 8_192,
  batchCommandsMax: 1_024,
  /** A batch ends after this total length of entries, so that other rooms get a chance. */
  batchCharactersMax: 1_000_000,
} as const;

interface Commit<State, Command, Event> {
  readonly name: "committing";
  /** Commands that were waiting when the commit began. */
  readonly entered: number;
  decided?: {
    readonly asks: PendingAsk<State, Command, Event>[];
    readonly batch: Batch<State, Command, Event>;
  };
}

type Activity<State, Command, Event> =
  | { readonly name: "loading" | "catching-up" }
  | Commit<State, Command, Event>;

/** Without an activity: `absent` (not in memory), `stale` (other nodes are known to have appended more) or `idle`. */
type Phase = Activity<never, never, never>["name"] | "absent" | "idle" | "stale";

// biome-ignore lint/suspicious/noExplicitAny: the host treats mailboxes of all kinds alike; `Streams` gives each its types back
export type AnyMailbox = Mailbox<any, any, any>;

/**
 * One stream: its waiting commands, the batch in flight, and its state in memory. Commands that arrive while a batch is in
 * flight form the next one (group commit), so a busy room does not need one flush per join.
 */
export class Mailbox<State, Command, Event> {
  readonly stream: StreamName;
  usedAt = 0;
  readonly decider: Decider<State, Command, Event>;
  readonly #surroundings: Surroundings;
  readonly #memory: StreamMemory<State, Command, Event>;
  readonly presence: StreamPresence<State, Command>;
  readonly clock: StreamClock<State, Command, Event>;
  #asks: PendingAsk<State, Command, Event>[] = [];
  readonly reads = new Reads<State>();
  #activity: Activity<State, Command, Event> | undefined;
  /** Others have appended more than a commit can read. */
  #isFarBehind = false;
  #replaying = 0;

  constructor(stream: StreamName, decider: Decider<State, Command, Event>, surroundings: Surroundings) {
    this.stream = stream;
    this.decider = decider;
    this.#surroundings = surroundings;
    this.#memory = new StreamMemory(stream, decider, surroundings);
    this.clock = new StreamClock(decider, this.#memory, surroundings);
    this.presence = new StreamPresence(decider.presence, surroundings, () => this.#loaded?.state);
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

  get isAtRest(): boolean {
    return this.phase === "idle" || this.phase === "stale";
  }

  get isQuiet(): boolean {
    const waiting = this.#asks.length + this.reads.size + this.#replaying;
    return waiting === 0 && !this.#activity && !this.presence.isUnsettled;
  }

  /** Out of memory, the stream would not notice silent places or running clocks. */
  get mustStay(): boolean {
    return this.presence.isRunning || this.clock.mustStay;
  }

  /** Undefined if places in this kind of stream never expire. */
  #isLeased(state: State): boolean | undefined {
    return this.decider.presence && (this.presence.isNeededFor(state) || this.clock.isRunning);
  }

  /** Undefined if there is no such place, or the state is not in memory. */
  ticketOf(ticketSource: TicketSource<State>): number | undefined {
    const state = this.#loaded?.state;
    return typeof ticketSource === "function" ? state && ticketSource(state) : ticketSource;
  }

  /** The state in memory, if all of it is durable. */
  get durable(): StreamState<State> | undefined {
    return this.#commit?.decided?.batch.entries.length ? undefined : this.#loaded;
  }

  isFullFor({ isNew }: Ask<Command>): boolean {
    return this.#asks.length + this.#replaying >= (isNew ? limits.newWaitingMax : limits.waitingMax);
  }

  ask(ask: Ask<Command>): Promise<AskOutcome<State, Event>> {
    return new Promise((resolve) => this.#asks.push({ ...ask, attempts: 0, resolve }));
  }

  /** The state in memory, if it is durable and known to be up to date without asking the log. */
  get fresh(): StreamState<State> | undefined {
    return this.#surroundings.membership.memoryIsNewest ? this.durable : undefined;
  }

  /** Waits for the commit in flight, which may still fail, and until the version of the stream is known. */
  read<T>(reader: (loaded: StreamState<State>) => T): Promise<ReadResult<T>> {
    const seen = this.reads.wait(reader);
    if (this.#surroundings.membership.memoryIsNewest) this.reads.noteVersionForAll(0);
    return seen;
  }

  /**
   * Compares memory as it was before the query (`before`) with the log's answer (`head`). Returns true if memory was dropped
   * because the log does not contain it (CL6): these reads would show entries that are lost.
   */
  checkFresh(reads: readonly Read<State>[], before: Head, head: Head | undefined): boolean {
    if (!hasGoneBack(before, head)) {
      this.reads.noteVersion(reads, head?.version ?? 0);
      this.know(head?.version ?? 0);
      return false;
    }
    // If memory changed meanwhile, or is about to, ask the log again.
    this.reads.putBack(reads);
    if (!this.isAtRest || this.head !== before) return false;
    this.#letGo();
    return true;
  }

  serveReads(): void {
    if (this.isAtRest) this.reads.serve(this.#loaded!);
  }

  know(version: number): void {
    this.#memory.know(version);
  }

  /** Otherwise the next commit reads what other nodes appended. */
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

  /** Passes pages of other nodes' entries to `onAbsorbed`. True if memory was dropped: the log does not continue it (CL6). */
  async catchUp(onAbsorbed: (committed: Committed<Event>) => void): Promise<boolean> {
    this.#activity = { name: "catching-up" };
    try {
      for await (const entries of this.#memory.catchUp()) onAbsorbed(this.#absorbed(entries));
      this.reads.serve(this.#loaded!);
    } catch (error) {
      if (!this.#loaded) this.presence.end();
      // Keep asks and reads waiting: only after a full reload is it known whether the log is damaged.
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

  /** True if there is something to commit. Then call `decide`, `leaveCommit`, `refuseCommit` or `dropForked`. */
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
    // Do not commit at the end of every window: thousands of rooms in which nobody is silent or back need no commit.
    const { state } = loaded;
    return state !== undefined && this.presence.hasNews(state, this.clock.timeAt(now));
  }

  get version(): number {
    return this.#loaded?.version ?? 0;
  }

  get head(): Head {
    return this.#memory.head;
  }

  /** CL6: the version in memory, or 0 if it was loaded after `since`, because that may be from a different log. */
  versionSince(since: number): number {
    return this.#memory.loadedAt < since ? this.head.version : 0;
  }

  /** CL6: the log does not contain what was in memory. */
  dropForked(): void {
    this.#activity = undefined;
    this.#letGo();
  }

  leaveCommit(): void {
    this.#activity = undefined;
    this.#isFarBehind = true;
    this.know(this.version + 1);
  }

  /** The commit failed before anything was decided, so the state is still valid. */
  refuseCommit(error: unknown): void {
    this.#activity = undefined;
    this.refuseWaiting(error);
  }

  refuseWaiting(error: unknown): void {
    const refusal = refusalFor(error);
    for (const ask of this.#asks.splice(0)) ask.resolve({ refusal });
    this.reads.refuse(refusal);
  }

  /** Decides waiting commands after other nodes' entries. The caller appends, then calls `settle` or `fail`. */
  decide(
    now: Millis,
    tail: readonly StoredBatch[],
    onAbsorbed: (committed: Committed<Event>) => void,
  ): Append | undefined {
    const loaded = this.#loaded!;
    // A stream without entries cannot be locked. Another node may have created it since, and later commands may depend on that.
    const isLocked = loaded.version > 0 || tail.length > 0;
    const asks = this.#asks.splice(
      0,
      Math.min(isLocked ? Infinity : this.#commit!.entered, limits.batchCommandsMax),
    );
    let batch: Batch<State, Command, Event>;
    try {
      if (tail.length > 0) onAbsorbed(this.#absorbed(this.#memory.absorb(tail, "trusted")));
      // No other node can append until the commit is over.
      if (isLocked) this.reads.noteVersionForAll(loaded.version);
      if (this.clock.isHeldBack(now)) {
        this.#activity = undefined;
        this.#asks.unshift(...asks);
        return undefined;
      }
      batch = this.#decideBatch(loaded, asks, now);
    } catch (error) {
      // A bug in the rules may have left the state half changed. Nothing was written.
      this.#activity = undefined;
      this.#letGo();
      this.#asks.unshift(...asks);
      this.refuseWaiting(error);
      throw error;
    }
    this.#commit!.decided = { asks, batch };
    if (batch.entries.length === 0) {
      // With several nodes, only the end of the commit shows whether it was decided on the latest state.
      if (this.#surroundings.membership.memoryIsNewest) this.settle("committed");
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
      if (known !== undefined) batch.answers.push(() => void this.#answerAgain(ask, known));
      else batch.decide(ask, ask.resolve);
    }
    return batch;
  }

  async #answerAgain(ask: PendingAsk<State, Command, Event>, version: number): Promise<void> {
    const { stream, decider } = this;
    const { log } = this.#surroundings;
    this.#replaying++;
    try {
      ask.resolve(await answerAgain({ log, stream, decider }, ask, version, this.#loaded?.state));
    } catch (error) {
      ask.resolve({ refusal: refusalFor(error) });
    } finally {
      this.#replaying--;
    }
  }

  get hasDecided(): boolean {
    return this.#commit?.decided !== undefined;
  }

  /** Sends the answers, now that the batch is durable. Returns what may be published. */
  settle(outcome: "committed" | "conflict"): Committed<Event> | undefined {
    const { asks, batch } = this.#commit!.decided!;
    this.#activity = undefined;
    if (outcome === "conflict") {
      this.#letGo();
      this.#asks.unshift(...toDecideAgain(asks));
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

  /** Returns whether something may have been written. If so, the state in memory may be wrong and is dropped. */
  fail(error: unknown): boolean {
    const { asks, batch } = this.#commit!.decided!;
    this.#activity = undefined;
    const isDoubtful = batch.entries.length > 0;
    if (isDoubtful) this.#letGo();
    const refusal = refusalFor(error);
    for (const ask of asks) ask.resolve({ refusal });
    // Refuse reads too: in a room that is due they would trigger the same append again and again.
    this.reads.refuse(refusal);
    return isDoubtful;
  }

  #letGo(): void {
    this.#isFarBehind = false;
    this.#memory.letGo();
    this.presence.end();
  }
}
