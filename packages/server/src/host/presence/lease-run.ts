import type { Lease, Millis, TicketNumber } from "@openseat/kernel";
import { type Clock, type Timer, timerMsMax } from "../../clock.ts";
import type { Membership } from "../cluster/membership.ts";
import { PresenceWindow } from "./presence-window.ts";

/**
 * Number of timers per window, run one after another. A process that was suspended for an hour finds only one timer expired,
 * and then waits for the next, so a suspended machine expires nobody.
 */
const timersPerWindow = 4;

/** While it is not known who expires, this many spans are kept. After that, nobody expires. */
const pastSpansMax = 64;

export interface LeaseContext<State> {
  readonly clock: Clock;
  state(): State | undefined;
  readonly membership: Pick<Membership, "interruptedAt" | "heartbeatsKnownUntil" | "spansMin">;
  held(): ReadonlyMap<number, number> | undefined;
  /** Whether this node manages the leases. Only one node of several does. */
  keepsLeases(): boolean;
  ring(): void;
}

/**
 * Runs one lease of one stream. A window consists of one or more spans. At the end of each span, places expire that sent no
 * heartbeat for a whole window (LS1). Time is measured by timers only, so setting the wall clock expires nobody. If silence
 * makes a place away instead (LN11), its next heartbeat brings it back at once.
 */
export class LeaseRun<State, Command> {
  readonly lease: Lease<State, Command>;
  readonly #context: LeaseContext<State>;
  #windowMs: number | undefined;
  #timer: Timer | undefined;
  #current = new PresenceWindow(0, 0 as Millis);
  #past: PresenceWindow[] = [];
  /** The newest past span, kept for `presentSince` until the next one ends. */
  #last: PresenceWindow | undefined;
  #isLapsing = false;
  /** Places that sent a heartbeat while they were away. */
  readonly #returning = new Set<number>();
  #rolledAt = 0;

  constructor(lease: Lease<State, Command>, context: LeaseContext<State>) {
    this.lease = lease;
    this.#context = context;
  }

  get isRunning(): boolean {
    return this.#windowMs !== undefined;
  }

  /** A window has ended and it is not known yet who expires, or a place's return is not decided yet. */
  get isUnsettled(): boolean {
    return this.#isLapsing || this.#returning.size > 0;
  }

  /** All heartbeats up to the end of the window are known here. */
  get #canLapse(): boolean {
    return this.#isLapsing && this.#context.membership.heartbeatsKnownUntil >= this.#rolledAt;
  }

  get #spans(): number {
    return Math.max(this.lease.spansPerWindow ?? 1, this.#context.membership.spansMin);
  }

  noteHeartbeat(ticket: number): void {
    if (this.#windowMs === undefined) return;
    this.#current.add(ticket);
    const state = this.#context.state();
    if (state === undefined || !this.lease.absence?.isAway(state, ticket as TicketNumber)) return;
    this.#returning.add(ticket);
    this.#context.ring();
  }

  /** Start of the latest span in which the ticket sent a heartbeat. */
  presentSince(ticket: number): Millis | undefined {
    if (this.#windowMs === undefined) return undefined;
    if (this.#context.held()?.has(ticket)) return this.#current.beganAt;
    return [this.#current, this.#last, ...this.#past.toReversed()].find((span) => span?.has(ticket))?.beganAt;
  }

  #newSpan(state: State): PresenceWindow {
    return new PresenceWindow(this.lease.newest(state), this.#context.clock.now());
  }

  /** Called when the state changes. If the length of the window changed, everybody gets a fresh one. */
  follow(state: State): void {
    const windowMs = this.lease.windowMs(state);
    if (windowMs === this.#windowMs) return;
    this.stop();
    if (windowMs === undefined) return;
    this.#windowMs = windowMs;
    this.#current = this.#newSpan(state);
    this.#wait(windowMs);
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

  /** The command about returned or silent places. Called just before the decision, so that late heartbeats still count. */
  next(state: State, now: Millis): Command | undefined {
    return this.#nextReturn(state) ?? this.#nextLapse(state, now);
  }

  #nextReturn(state: State): Command | undefined {
    const { absence } = this.lease;
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
    // If the length of the window changed, it is about to restart for everybody.
    if (!this.#canLapse || this.lease.windowMs(state) !== this.#windowMs) return undefined;
    const spans = [this.#current, ...this.#past];
    const held = this.#context.held();
    const isPresent = (ticket: number) =>
      spans.some((span) => span.has(ticket)) || held?.has(ticket) === true;
    const command = this.lease.lapse(state, isPresent, now);
    if (command === undefined) this.#settle();
    return command;
  }

  #settle(): void {
    this.#isLapsing = false;
    this.#past.splice(0, this.#past.length - (this.#spans - 1));
  }

  #wait(windowMs: number, leftMs = Math.ceil(windowMs / this.#spans)): void {
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
    // An earlier window may still wait for heartbeats from other nodes or for a commit. Places that sent one meanwhile do not
    // expire.
    if (!this.#isLapsing) {
      this.#isLapsing = this.#past.length === this.#spans;
      this.#rolledAt = this.#context.clock.elapsed();
    }
    this.#wait(windowMs);
    if (this.#isLapsing) this.#context.ring();
  }
}
