import assert from "node:assert/strict";
import type { Decider, Millis, Recorded, Refusal, RefusalCode, Saved } from "@openseat/kernel";

/** One stream with a minimal host, which decides what is due before each command. */
export class DeciderStage<State, Command extends { readonly type: string }, Event> {
  readonly decider: Decider<State, Command, Event>;
  state: State;
  now: number;
  version = 0;
  /** Set to false by tests that write half a million entries. */
  keepsLog = true;
  /** Every entry, as stored on disk. */
  log: string[] = [];

  constructor(decider: Decider<State, Command, Event>, create: Command, now: number) {
    this.decider = decider;
    this.now = now;
    this.state = undefined as unknown as State;
    this.do(create);
  }

  /** The events of the entry that the command creates. */
  do(command: Command, key?: string): readonly Event[] {
    if (this.state !== undefined) this.wake();
    const decision = this.decider.decide(this.state, command, this.now as Millis);
    if ("refusal" in decision) assert.fail(`refused: ${decision.refusal.code}: ${JSON.stringify(command)}`);
    this.write(decision.events, key);
    return decision.events;
  }

  write(events: readonly Event[], key?: string): void {
    if (events.length === 0) return;
    const { decider, now } = this;
    const version = ++this.version;
    const entry = { version, at: now, by: "someone", ...(key && { key }), events };
    if (this.keepsLog) this.log.push(JSON.stringify(entry));
    for (const event of events) this.state = decider.evolve(this.state, event, now as Millis, version);
  }

  refusal(command: Command): Refusal {
    const decision = this.decider.decide(this.state, command, this.now as Millis);
    assert.ok("refusal" in decision, `not refused: ${JSON.stringify(command)}`);
    return decision.refusal;
  }

  /** Expects a refusal with this code and an unchanged state. */
  refused(command: Command, code: RefusalCode, data?: object): void {
    const before = structuredClone(this.saved);
    const refusal = this.refusal(command);
    assert.equal(refusal.code, code, JSON.stringify(command));
    assert.ok(refusal.message.length > 10 && refusal.message.endsWith("."), refusal.message);
    if (data) assert.deepEqual(refusal.data, data);
    assert.deepEqual(this.saved, before, "a refusal changed something");
  }

  get due(): Millis | undefined {
    return this.decider.nextDue(this.state);
  }

  /** Ticks while one is due. Each tick must produce events: otherwise a host would wake the stream in a loop. */
  wake(): Event[] {
    const all: Event[] = [];
    for (let { due } = this; due !== undefined && due <= this.now; { due } = this) {
      const decision = this.decider.decide(this.state, this.decider.tick, this.now as Millis);
      assert.ok("events" in decision && decision.events.length > 0, "a due tick produced nothing");
      this.write(decision.events);
      all.push(...decision.events);
    }
    return all;
  }

  /** Advances the clock and decides everything that is due by then. */
  at(now: number): this {
    this.now = now;
    this.wake();
    return this;
  }

  /** Every entry, as it was written. */
  get entries(): Recorded<Event>[] {
    return this.log.map((line) => JSON.parse(line));
  }

  get saved(): Saved {
    return this.decider.snapshots.save(this.state);
  }

  /** The state after saving and restoring a snapshot. */
  get restored(): State {
    return this.decider.snapshots.restore(throughBytes(this.saved));
  }

  /** The state after replaying the whole log. */
  get replayed(): State {
    let state: State | undefined;
    for (const { at, version, events } of this.entries)
      for (const event of events) state = this.decider.evolve(state, event, at, version);
    return state!;
  }
}

/** As stored on disk: heads through JSON, columns in their own buffers. */
export function throughBytes({ head, columns, lists = {} }: Saved): Saved {
  const [savedHead, savedLists] = JSON.parse(JSON.stringify([head, lists]));
  return { head: savedHead, columns: structuredClone(columns), lists: savedLists };
}

/** The types of the events. */
export const typesOf = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);
