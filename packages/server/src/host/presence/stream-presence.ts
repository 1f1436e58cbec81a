import type { Decider, Millis } from "@openseat/kernel";
import type { LeaseContext, LeaseRun } from "./lease-run.ts";
import { Presence } from "./presence.ts";

type Leasing<State, Command> = Pick<Decider<State, Command, unknown>, "presence">;

/** The presence in one stream, for as long as places in it can expire or be away. */
export class StreamPresence<State, Command> {
  readonly #decider: Leasing<State, Command>;
  readonly #surroundings: Omit<LeaseContext<State>, "state">;
  readonly #memory: { readonly loaded: { readonly state: State | undefined } | undefined };
  /** Undefined when no place in this stream ever has to be heard of, as far as it is known. */
  #presence: Presence<State, Command> | undefined;

  constructor(
    decider: Leasing<State, Command>,
    surroundings: Omit<LeaseContext<State>, "state">,
    memory: { readonly loaded: { readonly state: State | undefined } | undefined },
  ) {
    this.#decider = decider;
    this.#surroundings = surroundings;
    this.#memory = memory;
    this.#presence = this.#newPresence();
  }

  #newPresence(): Presence<State, Command> | undefined {
    const { presence } = this.#decider;
    return (
      presence &&
      new Presence(presence.leases, { ...this.#surroundings, state: () => this.#memory.loaded?.state })
    );
  }

  /** Somebody here may have to be heard of, now or later. */
  get mayBeNeeded(): boolean {
    return this.#presence !== undefined;
  }

  /** Somebody here has to be heard of: out of memory, nobody would notice that they are not. */
  get isRunning(): boolean {
    return this.#presence?.isRunning === true;
  }

  /** It is not settled yet who lapses or is back: it may have to be waited for what other nodes have heard. */
  get isUnsettled(): boolean {
    return this.#presence?.isUnsettled === true;
  }

  get runs(): readonly LeaseRun<State, Command>[] {
    return this.#presence?.runs ?? [];
  }

  /** What the listing says of a state; see `Presence.isNeededFor`. */
  isNeededFor(state: State): boolean {
    return this.#presence?.isNeededFor(state) === true;
  }

  /** Whether somebody is back or has been silent for too long, as far as it can be told already. */
  hasNews(state: State, now: Millis): boolean {
    return this.#presence?.hasNews(state, now) === true;
  }

  /** A heartbeat. It must not wait for anything: what is decided a moment later has to count it. */
  heard(ticket: number): void {
    this.#presence?.heard(ticket);
  }

  heardSince(ticket: number): Millis | undefined {
    return this.#presence?.heardSince(ticket);
  }

  /** Everybody has a full fresh window, if this is the node that keeps the leases. */
  begin(): void {
    this.end();
    this.follow();
  }

  /** Nothing lapses here any more, or not until `begin`. */
  end(): void {
    this.#presence?.forget();
  }

  /** To be called when the state is new. */
  follow(): void {
    const state = this.#memory.loaded?.state;
    if (state === undefined) return;
    // Asked anew each time: where the log went back, it may be another room.
    if (this.#decider.presence?.mayLease?.(state) === false) this.#presence = undefined;
    else this.#presence ??= this.#newPresence();
    this.#presence?.follow(state);
  }
}
