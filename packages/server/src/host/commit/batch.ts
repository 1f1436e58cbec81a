import { assert, type Decider, type Decision, type Effect, type Millis } from "@openseat/kernel";
import { type Entry, encodeEntry, entryFormat, nextHash } from "../../log/entry.ts";
import type { Append, StreamName } from "../../log/log.ts";
import type { LeaseRun } from "../presence/lease-run.ts";
import type { Ask, Outcome } from "../stream/asks.ts";
import type { StreamState } from "../stream/stream-state.ts";

/** What has been decided in one go, and how to answer those who asked once it is durable. */
export class Batch<State, Command, Event> {
  readonly entries: Entry<Event>[] = [];
  readonly lines: string[] = [];
  readonly effects: (Effect & { readonly version: number })[] = [];
  readonly answers: (() => void)[] = [];
  /** The version that it was decided on. */
  readonly after: number;
  readonly #decider: Decider<State, Command, Event>;
  readonly #loaded: StreamState<State>;
  readonly #at: Millis;

  /** Decides at `at`, or at the time of the newest entry if that is later. */
  constructor(decider: Decider<State, Command, Event>, loaded: StreamState<State>, at: Millis) {
    this.#decider = decider;
    this.#loaded = loaded;
    this.#at = Math.max(at, loaded.at) as Millis;
    this.after = loaded.version;
  }

  /** What has to be written of it. `leased`: whether somebody has to be heard of, where that may be. */
  appendTo(stream: StreamName, leased: boolean | undefined): Append {
    const { hash, state } = this.#loaded;
    const { status, summary } = this.#decider.listing(state!);
    return {
      stream,
      after: this.after,
      lines: this.lines,
      hash,
      due: this.#decider.nextDue(state!),
      listing: { status, summary: leased === undefined ? summary : { ...summary, leased } },
      ...(this.after === 0 && { creator: personIn(this.entries[0].by) }),
      rows: this.#decider.rows?.(state!, this.entries),
      ...(this.effects.length > 0 && { effects: this.effects }),
    };
  }

  /** What follows from who is silent and who is back: one entry per lease, because a crowd must not keep the others waiting. */
  settlePresence(runs: readonly LeaseRun<State, Command>[]): void {
    for (const run of runs) {
      const command = run.next(this.#loaded.state!, this.#at);
      if (command === undefined) continue;
      const { length } = this.entries;
      this.decideAlone(command);
      // It would be asked for again at once, and without end.
      assert(this.entries.length > length, "what silence or a return comes to was refused");
    }
  }

  /** What the host asks by itself: nobody waits for an answer. */
  decideAlone(command: Command): void {
    this.decide({ command, by: "@clock" }, () => {});
  }

  /** The state has what comes of it at once, ahead of the log. */
  decide(ask: Ask<Command>, resolve: (outcome: Outcome<State, Event>) => void): void {
    const { command, by, key } = ask;
    const loaded = this.#loaded;
    const decision = this.#decideWithin(ask);
    if ("refusal" in decision) {
      this.answers.push(() => resolve(decision));
      return;
    }
    const { events } = decision;
    // Only what the host itself asks may come to nothing: someone who asked would wait for ever.
    const { tick, clock } = this.#decider;
    const mayBeNothing = command === tick || command === clock?.revive;
    assert(events.length > 0 || mayBeNothing, "a command led neither to an event nor to a refusal");
    if (events.length === 0) return;
    const entry: Entry<Event> = {
      format: entryFormat,
      version: loaded.version + 1,
      at: this.#at,
      by,
      command: this.#decider.keys.fingerprint(command),
      ...(key !== undefined && { key }),
      events,
    };
    this.#write(entry);
    this.answers.push(() => resolve({ entry, state: loaded.state!, replayed: false }));
  }

  #decideWithin(ask: Ask<Command>): Decision<Event> {
    const { state } = this.#loaded;
    const decision = this.#decider.decide(state, ask.command, this.#at);
    const refusal = "events" in decision ? ask.limit?.(state) : undefined;
    return refusal ? { refusal } : decision;
  }

  #write(entry: Entry<Event>): void {
    const loaded = this.#loaded;
    const { by, key, at, version, events } = entry;
    const line = encodeEntry(entry);
    for (const event of events) loaded.state = this.#decider.evolve(loaded.state, event, at, version);
    if (key !== undefined) loaded.keys.remember(by, key, version, at);
    loaded.version = version;
    loaded.hash = nextHash(loaded.hash, line);
    loaded.characters += line.length;
    loaded.at = at;
    for (const effect of this.#decider.effects?.(loaded.state!, events) ?? [])
      this.effects.push({ ...effect, version });
    this.entries.push(entry);
    this.lines.push(line);
  }
}

/** Roles, and the server itself, have names that begin with `@`. */
function personIn(by: string): string | undefined {
  return by.startsWith("@") ? undefined : by;
}
