import { assert, type Decider, type Effect, type Listing, type Millis, type Refusal } from "@openseat/kernel";
import { decodeEntry, type Entry, encodeEntry, entryFormat, nextHash } from "../log/entry.ts";
import type { Append, AppendOutcome, Log, StreamName } from "../log/log.ts";
import type { LeaseContext } from "./lease-run.ts";
import { Presence } from "./presence.ts";
import { LogDamaged, loadStream, type StreamState } from "./stream-state.ts";
import { refusalFor } from "./trouble.ts";

export type { Entry } from "../log/entry.ts";

/** A command, and who asks for it. */
export interface Ask<Command> {
  readonly command: Command;
  readonly by: string;
  readonly key?: string | undefined;
}

/**
 * What came of it. `state` is the state of the stream at some later time: only what never changes in it may be
 * used beside the entry, or the answer to a repeated key would differ from the first.
 */
export type Outcome<State, Event> =
  | { readonly entry: Entry<Event>; readonly state: State; readonly replayed: boolean }
  | { readonly refusal: Refusal };

export interface Committed<Event> {
  readonly stream: StreamName;
  readonly entries: readonly Entry<Event>[];
  /** As the last of them left it. To be looked at while it is handed over: a moment later it may have gone on. */
  readonly state: unknown;
  /** Whether they cause something in other streams. */
  readonly hasEffects: boolean;
}

interface PendingAsk<State, Command, Event> extends Ask<Command> {
  attempts: number;
  resolve(outcome: Outcome<State, Event>): void;
}

type Read<State> = (result: { loaded: StreamState<State> } | { refusal: Refusal }) => void;

/** A ticket, or how to find it: also in what is not durable yet, for nobody is shown it. */
export type Whose<State> = number | ((state: State) => number | undefined);

/** A batch that has been decided, and how to answer those who asked once it is durable. */
interface Batch<State, Command, Event> {
  readonly asks: PendingAsk<State, Command, Event>[];
  readonly entries: Entry<Event>[];
  readonly lines: string[];
  readonly effects: (Effect & { readonly version: number })[];
  readonly answers: (() => void)[];
}

const limits = {
  /** Commands that may wait for one stream, and as many reads; past it, asking is refused. */
  waitingMax: 65_536,
  batchCommandsMax: 1_024,
  /** Entries of this length in all end a batch: the rest waits for the next, and others have their turn between. */
  batchCharactersMax: 1_000_000,
  /** How often a batch is decided anew when someone else has changed the stream meanwhile. */
  attemptsMax: 5,
} as const;

const busy: Refusal = {
  code: "server.busy",
  message: "Too many are asking at once. Please try again in a moment.",
  retryable: true,
};
const conflict: Refusal = {
  code: "room.conflict",
  message: "Others were quicker, several times over. Please try again.",
  retryable: true,
};

/**
 * One stream: what waits to be decided, what has been decided and is on its way to the disk, and the state in
 * memory. One batch is in flight at a time; commands that arrive meanwhile form the next. That is group commit,
 * and it is why a hot room does not need one flush a join.
 */
export class Mailbox<State, Command, Event> {
  readonly stream: StreamName;
  /** When it was last asked for anything: the ones that were quiet longest leave memory first. */
  usedAt = 0 as Millis;
  readonly decider: Decider<State, Command, Event>;
  readonly #log: Log;
  /** Undefined when no place in streams of this kind ever has to be heard of. */
  readonly #presence: Presence<State, Command> | undefined;
  #loaded: StreamState<State> | undefined;
  #asks: PendingAsk<State, Command, Event>[] = [];
  #reads: Read<State>[] = [];
  #inFlight: Batch<State, Command, Event> | undefined;
  #loading = false;
  /** The state has just been read, and nothing was decided since. */
  #isFresh = false;
  #replays = 0;

  constructor(
    stream: StreamName,
    decider: Decider<State, Command, Event>,
    log: Log,
    surroundings: Omit<LeaseContext<State>, "state">,
  ) {
    this.stream = stream;
    this.decider = decider;
    this.#log = log;
    const context = { ...surroundings, state: () => this.#loaded?.state };
    this.#presence = decider.leases && new Presence(decider.leases, context);
  }

  /** Nobody waits for anything here. */
  get quiet(): boolean {
    const waiting = this.#asks.length + this.#reads.length + this.#replays;
    return waiting === 0 && !this.#inFlight && !this.#loading && !this.#presence?.isLapsing;
  }

  /**
   * Somebody here has to be heard of, or to act in time. Out of memory nobody would notice that they do not; and a clock
   * that begins anew with each reading would never run out.
   */
  get mustStay(): boolean {
    return this.#presence?.isRunning === true || this.#isTimed(this.#loaded?.state);
  }

  #isTimed(state: State | undefined): boolean {
    const { revive, nextDue } = this.decider;
    return revive !== undefined && state !== undefined && nextDue(state) !== undefined;
  }

  /** The state was let go of, and somebody in it may have to be heard of. */
  get isMissed(): boolean {
    return this.#presence !== undefined && this.needsLoading;
  }

  /** A sign of life. It must not wait for anything: what is decided a moment later has to count it. */
  heard(whose: Whose<State>): void {
    const state = this.#loaded?.state;
    const ticket = typeof whose === "function" ? state && whose(state) : whose;
    if (ticket !== undefined) this.#presence?.heard(ticket);
  }

  /** Nothing lapses any more. */
  stopLeases(): void {
    this.#presence?.stop();
  }

  /** The state in memory, if there is one and all of it is durable. */
  get durable(): StreamState<State> | undefined {
    return this.#inFlight ? undefined : this.#loaded;
  }

  ask(ask: Ask<Command>): Promise<Outcome<State, Event>> {
    if (this.#asks.length + this.#replays >= limits.waitingMax) return Promise.resolve({ refusal: busy });
    return new Promise((resolve) => this.#asks.push({ ...ask, attempts: 0, resolve }));
  }

  /** Reads wait for the append in flight, so that nobody sees what may yet be lost. */
  read<T>(look: (loaded: StreamState<State>) => T): Promise<{ value: T } | { refusal: Refusal }> {
    if (this.#reads.length >= limits.waitingMax) return Promise.resolve({ refusal: busy });
    return new Promise((resolve, reject) => {
      this.#reads.push((result) => {
        try {
          resolve("refusal" in result ? result : { value: look(result.loaded) });
        } catch (error) {
          // A look that throws is its reader's trouble: the others still wait for their answers.
          reject(error);
        }
      });
    });
  }

  /** A look at what is in memory, once all of it is durable; an empty list when there is nothing to see. */
  async glance<T>(look: (state: State) => T): Promise<T[]> {
    if (this.needsLoading) return [];
    const lookIfThere = ({ state }: StreamState<State>) => (state === undefined ? [] : [look(state)]);
    if (this.durable) return lookIfThere(this.durable);
    const found = await this.read(lookIfThere);
    return "value" in found ? found.value : [];
  }

  /** True when the state has to be fetched first: call `load`, and come back when it is done. */
  get needsLoading(): boolean {
    return !this.#loaded && !this.#loading;
  }

  async load(): Promise<void> {
    this.#loading = true;
    try {
      this.#loaded = await loadStream(this.#log, this.stream, this.decider);
      this.#isFresh = true;
      this.#presence?.follow(this.#loaded.state);
    } catch (error) {
      this.#refuseAll(refusalFor(error));
      throw error;
    } finally {
      this.#loading = false;
    }
  }

  /** Decides all that waits. What it returns has to be appended, and the result told to `settle`. */
  takeTurn(now: Millis): Append | undefined {
    if (!this.#loaded || this.#inFlight) return undefined;
    const batch: Batch<State, Command, Event> = {
      asks: this.#asks.splice(0, limits.batchCommandsMax),
      entries: [],
      lines: [],
      effects: [],
      answers: [],
    };
    const after = this.#loaded.version;
    try {
      this.#decideBatch(this.#loaded, batch, now);
    } catch (error) {
      // A fault in the rules: the state may be half changed, so it is thrown away. Nothing was written.
      this.#letGo();
      this.#asks.unshift(...batch.asks);
      this.#refuseAll(refusalFor(error));
      throw error;
    }
    this.#inFlight = batch;
    if (batch.entries.length === 0) {
      this.settle("appended");
      // Refusals make no append whose end would call for the rest of the asks.
      return this.#asks.length > 0 ? this.takeTurn(now) : undefined;
    }
    const { hash } = this.#loaded;
    const state = this.#loaded.state!;
    return {
      stream: this.stream,
      after,
      lines: batch.lines,
      hash,
      due: this.decider.nextDue(state),
      listing: this.#listing(state),
      rows: this.decider.rows?.(state, batch.entries),
      ...(batch.effects.length > 0 && { effects: batch.effects }),
    };
  }

  #listing(state: State): Listing {
    const listing = this.decider.listing(state);
    if (!this.#presence) return listing;
    const leased = this.#presence.isNeededFor(state) || this.#isTimed(state);
    return { ...listing, summary: { ...listing.summary, leased } };
  }

  #decideBatch(loaded: StreamState<State>, batch: Batch<State, Command, Event>, now: Millis): void {
    const at = Math.max(now, loaded.at) as Millis;
    const before = loaded.characters;
    const { revive, tick } = this.decider;
    if (this.#isFresh && revive !== undefined && loaded.state !== undefined)
      this.#decideOne(loaded, batch, { command: revive, by: "@clock" }, at, () => {});
    this.#isFresh = false;
    if (this.isDue(now)) this.#decideOne(loaded, batch, { command: tick, by: "@clock" }, at, () => {});
    this.#decideLapses(loaded, batch, at);
    for (const [index, ask] of batch.asks.entries()) {
      if (loaded.characters - before > limits.batchCharactersMax) {
        this.#asks.unshift(...batch.asks.splice(index));
        break;
      }
      const known = ask.key === undefined ? undefined : loaded.keys.find(ask.by, ask.key);
      if (known !== undefined) batch.answers.push(() => void this.#replay(ask, known));
      else this.#decideOne(loaded, batch, ask, at, ask.resolve);
    }
  }

  /** One entry a lease and turn: a crowd that has gone must not keep those who are there waiting. */
  #decideLapses(loaded: StreamState<State>, batch: Batch<State, Command, Event>, at: Millis): void {
    for (const run of this.#presence?.runs ?? []) {
      const command = run.nextLapse(loaded.state!, at);
      if (command === undefined) continue;
      const { length } = batch.entries;
      this.#decideOne(loaded, batch, { command, by: "@clock" }, at, () => {});
      // It would be asked for again at once, and without end.
      assert(batch.entries.length > length, "the end of silent places was refused");
    }
  }

  #decideOne(
    loaded: StreamState<State>,
    batch: Batch<State, Command, Event>,
    { command, by, key }: Ask<Command>,
    at: Millis,
    resolve: (outcome: Outcome<State, Event>) => void,
  ): void {
    const decision = this.decider.decide(loaded.state, command, at);
    if ("refusal" in decision) {
      batch.answers.push(() => resolve(decision));
      return;
    }
    const { events } = decision;
    // Only what the host itself asks may come to nothing: someone who asked would wait for ever.
    const { tick, revive } = this.decider;
    const mayBeNothing = command === tick || command === revive;
    assert(events.length > 0 || mayBeNothing, "a command led neither to an event nor to a refusal");
    if (events.length === 0) return;
    const entry: Entry<Event> = {
      format: entryFormat,
      version: loaded.version + 1,
      at,
      by,
      command: this.decider.fingerprint(command),
      ...(key !== undefined && { key }),
      events,
    };
    const line = encodeEntry(entry);
    for (const event of events) loaded.state = this.decider.evolve(loaded.state, event, at, entry.version);
    if (key !== undefined) loaded.keys.remember(by, key, entry.version, at);
    loaded.version = entry.version;
    loaded.hash = nextHash(loaded.hash, line);
    loaded.characters += line.length;
    loaded.at = at;
    for (const effect of this.decider.effects?.(loaded.state!, events) ?? [])
      batch.effects.push({ ...effect, version: entry.version });
    batch.entries.push(entry);
    batch.lines.push(line);
    batch.answers.push(() => resolve({ entry, state: loaded.state!, replayed: false }));
  }

  /** Whether the stream wanted to be woken by now. */
  isDue(now: Millis): boolean {
    const state = this.#loaded?.state;
    const due = state === undefined ? undefined : this.decider.nextDue(state);
    return due !== undefined && due <= now;
  }

  /** Only now, with the batch on the disk, is anyone answered. Returns what others may be shown. */
  settle(outcome: AppendOutcome): Committed<Event> | undefined {
    const batch = this.#inFlight!;
    this.#inFlight = undefined;
    if (outcome === "conflict") {
      this.#decideAgain(batch.asks);
      return undefined;
    }
    const loaded = this.#loaded!;
    this.#presence?.follow(loaded.state);
    for (const answer of batch.answers) answer();
    for (const read of this.#reads.splice(0)) read({ loaded });
    if (batch.entries.length === 0) return undefined;
    const { entries, effects } = batch;
    return { stream: this.stream, entries, state: loaded.state, hasEffects: effects.length > 0 };
  }

  /** The append may or may not have been written. What is in memory is no longer known to be true: let it go. */
  fail(error: unknown): void {
    const batch = this.#inFlight!;
    this.#inFlight = undefined;
    this.#letGo();
    const refusal = refusalFor(error);
    for (const ask of batch.asks) ask.resolve({ refusal });
    // Reads too: of a room that is due they would bring on the same append at once, and again, without a pause.
    for (const read of this.#reads.splice(0)) read({ refusal });
  }

  #letGo(): void {
    this.#loaded = undefined;
    this.#presence?.forget();
  }

  /** Answers everything that waits with the same refusal. */
  #refuseAll(refusal: Refusal): void {
    for (const ask of this.#asks.splice(0)) ask.resolve({ refusal });
    for (const read of this.#reads.splice(0)) read({ refusal });
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

  /** ID1, ID2: the entry that the key led to gives the same answer again, if the request is the same. */
  async #replay(ask: PendingAsk<State, Command, Event>, version: number): Promise<void> {
    this.#replays++;
    try {
      const line = await this.#log.line(this.stream, version);
      if (line === undefined) throw new LogDamaged(`The log of ${this.stream} has no version ${version}.`);
      const entry = decodeEntry<Event>(line);
      const state = this.#loaded?.state ?? (await loadStream(this.#log, this.stream, this.decider)).state!;
      // The memory of keys may take one for another, once in many lifetimes. Then a new key helps; a wrong answer would not.
      const isItsOwn = entry.by === ask.by && entry.key === ask.key;
      const same = isItsOwn && entry.command === this.decider.fingerprint(ask.command);
      ask.resolve(same ? { entry, state, replayed: true } : { refusal: keyReused });
    } catch (error) {
      ask.resolve({ refusal: refusalFor(error) });
    } finally {
      this.#replays--;
    }
  }
}

const keyReused: Refusal = {
  code: "key.reused",
  message: "This idempotency key was used for another request. Nothing was changed; please use a new key.",
};
