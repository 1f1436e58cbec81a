import { assert, type Decider, type Decision, type Effect, type Millis } from "@openseat/kernel";
import { type Entry, encodeEntry, entryFormat, nextHash } from "../../log/entry.ts";
import type { Append, StreamName } from "../../log/log.ts";
import type { LeaseRun } from "../presence/lease-run.ts";
import type { Ask, AskOutcome } from "../stream/asks.ts";
import { apply, type StreamState } from "../stream/stream-state.ts";

/** The entries that are decided together, and the answers to send once they are durable. */
export class Batch<State, Command, Event> {
  readonly entries: Entry<Event>[] = [];
  readonly lines: string[] = [];
  readonly effects: (Effect & { readonly version: number })[] = [];
  readonly answers: (() => void)[] = [];
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

  /**
   * `leased` is stored in the listing: whether places must send heartbeats. Undefined for kinds of streams that never need
   * them.
   */
  appendTo(stream: StreamName, leased: boolean | undefined): Append {
    const { hash, state } = this.#loaded;
    const { status, summary } = this.#decider.listing(state!);
    const { by } = this.entries[0];
    return {
      stream,
      after: this.after,
      lines: this.lines,
      hash,
      due: this.#decider.nextDue(state!),
      listing: { status, summary: leased === undefined ? summary : { ...summary, leased } },
      // Names of roles and of the server begin with `@`; they are not creators.
      ...(this.after === 0 && !by.startsWith("@") && { creator: by }),
      rows: this.#decider.rows?.(state!, this.entries),
      ...(this.effects.length > 0 && { effects: this.effects }),
    };
  }

  /**
   * Decides about silent and returning places with one entry per lease. Separate entries for a whole crowd would delay other
   * commands.
   */
  settlePresence(runs: readonly LeaseRun<State, Command>[]): void {
    for (const run of runs) {
      const command = run.next(this.#loaded.state!, this.#at);
      if (command === undefined) continue;
      const { length } = this.entries;
      this.decideAlone(command);
      // Otherwise the same command would be issued again forever.
      assert(this.entries.length > length, "a command about silent or returning places was refused");
    }
  }

  decideAlone(command: Command): void {
    this.decide({ command, by: "@clock" }, () => {});
  }

  decide(ask: Ask<Command>, resolve: (outcome: AskOutcome<State, Event>) => void): void {
    const { command, by, key } = ask;
    const loaded = this.#loaded;
    const decision = this.#decideWithin(ask);
    if ("refusal" in decision) {
      this.answers.push(() => resolve(decision));
      return;
    }
    const { events } = decision;
    // Only internal commands may produce no entry: a person would wait forever for an answer.
    const { tick, clock } = this.#decider;
    const mayBeNothing = command === tick || command === clock?.revive;
    assert(events.length > 0 || mayBeNothing, "a command resulted in neither events nor a refusal");
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
    const { version, events } = entry;
    const line = encodeEntry(entry);
    apply(loaded, entry, line, this.#decider.evolve);
    loaded.hash = nextHash(loaded.hash, line);
    for (const effect of this.#decider.effects?.(loaded.state!, events) ?? [])
      this.effects.push({ ...effect, version });
    this.entries.push(entry);
    this.lines.push(line);
  }
}
