import type { Lease, Millis, TicketNumber } from "@openseat/kernel";
import { type Clock, type Timer, timerMsMax } from "../../clock.ts";
import type { Membership } from "../cluster/membership.ts";
import { PresenceWindow } from "./presence-window.ts";

/**
 * Timers in a window, one after the other. A process that was stopped for an hour finds one of them over when it goes
 * on, not all; and that one is waited for again, for meanwhile nobody could be heard. So a stop of the machine expires
 * nobody.
 */
const timersPerWindow = 4;

/** While it cannot be settled who lapses, so many spans are kept; then the question is dropped, and all are spared. */
const pastSpansMax = 64;

/** What a lease needs to know of its stream, and whom to tell that a window has ended. */
export interface LeaseContext<State> {
  readonly clock: Clock;
  /** The state in memory, with what is on its way to the disk. */
  state(): State | undefined;
  readonly membership: Pick<Membership, "interruptedAt" | "heardUpTo" | "spansMin">;
  /** Tickets with a live connection. */
  held(): ReadonlyMap<number, number> | undefined;
  /** Whether windows run here at all: where several nodes share the log, on one of them. */
  keepsLeases(): boolean;
  ring(): void;
}

/**
 * One lease of one stream. A window is one span of time, or several; at the end of each span, those lapse of whom
 * nothing was heard for a whole window: so after at least one window of silence and at most a span more (LS1). Time is
 * what timers say: the clock on the wall may be set, and nobody may expire by that. Where silence only makes a place
 * away (LN11), its next heartbeat brings it back at once.
 */
export class LeaseRun<State, Command> {
  readonly #lease: Lease<State, Command>;
  readonly #context: LeaseContext<State>;
  /** Undefined while nobody has to be heard of. */
  #windowMs: number | undefined;
  #timer: Timer | undefined;
  /** The span that is not over yet. */
  #current = new PresenceWindow(0, 0 as Millis);
  /** Those before it, of the window that has ended or is about to. */
  #past: PresenceWindow[] = [];
  /** The newest of them, kept until the next one ends: whoever lives on was heard of in it or since. */
  #last: PresenceWindow | undefined;
  #isLapsing = false;
  /** Places that sent a heartbeat while they were away. At most as many as are away. */
  readonly #returning = new Set<number>();
  /** When the window ended, by `clock.elapsed`. */
  #rolledAt = 0;

  constructor(lease: Lease<State, Command>, context: LeaseContext<State>) {
    this.#lease = lease;
    this.#context = context;
  }

  get isRunning(): boolean {
    return this.#windowMs !== undefined;
  }

  /** A window has ended and it is not settled yet who lapses, or a place is back and that is not decided yet. */
  get isUnsettled(): boolean {
    return this.#isLapsing || this.#returning.size > 0;
  }

  /** All that was heard before the end of the window is known here, so that it can be said who lapses. */
  get #canLapse(): boolean {
    return this.#isLapsing && this.#context.membership.heardUpTo >= this.#rolledAt;
  }

  get #spans(): number {
    return Math.max(this.#lease.spansPerWindow ?? 1, this.#context.membership.spansMin);
  }

  heard(ticket: number): void {
    if (this.#windowMs === undefined) return;
    this.#current.hear(ticket);
    const state = this.#context.state();
    if (state === undefined || !this.#lease.absence?.isAway(state, ticket as TicketNumber)) return;
    this.#returning.add(ticket);
    this.#context.ring();
  }

  /** When the latest span began in which it was heard of, as far as they are kept; undefined where none is. */
  heardSince(ticket: number): Millis | undefined {
    if (this.#windowMs === undefined) return undefined;
    if (this.#context.held()?.has(ticket)) return this.#current.beganAt;
    return [this.#current, this.#last, ...this.#past.toReversed()].find((span) => span?.has(ticket))?.beganAt;
  }

  #newSpan(state: State): PresenceWindow {
    return new PresenceWindow(this.#lease.newest(state), this.#context.clock.now());
  }

  /** To be called when the state is new. A window of another length is a full fresh one for everybody. */
  follow(state: State): void {
    const windowMs = this.#lease.windowMs(state);
    if (windowMs === this.#windowMs) return;
    this.stop();
    if (windowMs === undefined) return;
    this.#windowMs = windowMs;
    this.#current = this.#newSpan(state);
    this.#waitSpan(windowMs);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#windowMs = undefined;
    this.#past = [];
    this.#last = undefined;
    this.#isLapsing = false;
    this.#returning.clear();
  }

  /**
   * The command about places that are back or silent, for as long as there are any. Asked when it is about to be decided
   * and not when the window ends: a heartbeat in between counts.
   */
  next(state: State, now: Millis): Command | undefined {
    return this.#nextReturn(state) ?? this.#nextLapse(state, now);
  }

  #nextReturn(state: State): Command | undefined {
    const { absence } = this.#lease;
    if (absence === undefined) return undefined;
    const tickets: TicketNumber[] = [];
    for (const number of this.#returning) {
      const ticket = number as TicketNumber;
      if (!absence.isAway(state, ticket)) this.#returning.delete(ticket);
      else if (tickets.push(ticket) >= absence.ticketsMax) break;
    }
    return tickets.length > 0 ? absence.back(tickets) : undefined;
  }

  #nextLapse(state: State, now: Millis): Command | undefined {
    // With a window that has just changed, everybody is about to get a fresh one.
    if (!this.#canLapse || this.#lease.windowMs(state) !== this.#windowMs) return undefined;
    const spans = [this.#current, ...this.#past];
    const held = this.#context.held();
    const isHeard = (ticket: number) => spans.some((span) => span.has(ticket)) || held?.has(ticket) === true;
    const command = this.#lease.lapse(state, isHeard, now);
    if (command === undefined) this.#settle();
    return command;
  }

  /** All who were silent have lapsed: what of the window is not part of the next is not needed any more. */
  #settle(): void {
    this.#isLapsing = false;
    this.#past.splice(0, this.#past.length - (this.#spans - 1));
  }

  #waitSpan(windowMs: number): void {
    this.#wait(windowMs, Math.ceil(windowMs / this.#spans));
  }

  #wait(windowMs: number, leftMs: number): void {
    const legMs = Math.min(leftMs, Math.ceil(windowMs / timersPerWindow), timerMsMax);
    const { clock, membership } = this.#context;
    const since = clock.elapsed();
    this.#timer = clock.after(legMs, () => {
      const wasAway = clock.elapsed() - since > legMs * 1.5 || membership.interruptedAt > since;
      if (wasAway) this.#wait(windowMs, leftMs);
      else if (leftMs > legMs) this.#wait(windowMs, leftMs - legMs);
      else this.#rollOver(windowMs);
    });
  }

  #rollOver(windowMs: number): void {
    if (this.#past.length >= pastSpansMax) this.#settle();
    this.#last = this.#current;
    this.#past.push(this.#current);
    this.#current = this.#newSpan(this.#context.state()!);
    // Until that is settled, it stays the question who was silent in the window that ended then: it may have to be waited
    // for what others have heard, and for a turn. Meanwhile whoever is heard of is spared.
    if (!this.#isLapsing) {
      this.#isLapsing = this.#past.length === this.#spans;
      this.#rolledAt = this.#context.clock.elapsed();
    }
    this.#waitSpan(windowMs);
    if (this.#isLapsing) this.#context.ring();
  }
}
