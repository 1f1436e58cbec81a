import type { Millis } from "@openseat/kernel";
import type { Clock } from "../../clock.ts";
import { LogUnavailable } from "../../log/log.ts";
import { sharingLimits } from "../../log/sharing.ts";
import type { LastEntry, Membership } from "./membership.ts";

/** A smaller difference between the clock and the time that has passed is drift. */
const settingMsMin = 1_000;

/** The one process that uses the log. Memory is what the log has, and only its own failures keep people from acting. */
export class SoleOwner implements Membership {
  readonly isCaretaker = true;
  readonly nodes = 1;
  readonly sinceBeatMs = undefined;
  readonly heardUpTo = Number.POSITIVE_INFINITY;
  readonly spansMin = 1;
  readonly readingRestarts = true;
  readonly unsendable = "failure";
  readonly isCurrent = true;
  readonly #clock: Clock;
  readonly #onCaretaker: (isCaretaker: boolean) => void;
  #since = 0 as Millis;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  /** The clock's time minus the elapsed time. It only changes when the clock is set, or runs slower. */
  #offset = 0;

  constructor(clock: Clock, onCaretaker: (isCaretaker: boolean) => void = () => {}) {
    this.#clock = clock;
    this.#onCaretaker = onCaretaker;
  }

  async start(): Promise<void> {
    this.begin();
    this.#onCaretaker(true);
  }

  async stop(): Promise<void> {}

  isInterruptedSince({ at, unreadableUntil, isAhead, wasStopped }: LastEntry): boolean {
    // Read each time: it notes how the clock runs.
    const { servedSince } = this;
    // A clock that was set back does not tell whether an entry that is ahead of it is from before the start.
    return at < servedSince || at < unreadableUntil || isAhead || wasStopped;
  }

  /** AR9: since when there was no interruption. */
  get servedSince(): Millis {
    const now = this.#clock.now();
    const offset = now - this.#clock.elapsed();
    const isSetForward = offset - this.#offset >= settingMsMin;
    // Noted each time: while time runs slower (CK1) it falls, and a later step forward has to be measured from there.
    this.#offset = offset;
    // After a step forward, time is missing that nobody could use. After a step back to before the start, all entries would be too old.
    if (isSetForward || now < this.#since) this.begin();
    return this.#since;
  }

  get interruptedAt(): number {
    return this.#interruptedAt;
  }

  /** From now on. */
  begin(): void {
    this.#since = this.#clock.now();
    this.#offset = this.#since - this.#clock.elapsed();
  }

  /** People could not act until now: clocks restart, and nobody is taken for silent. */
  interrupt(): void {
    this.#interruptedAt = this.#clock.elapsed();
    this.begin();
  }

  /** A call that fails or is slow has kept people from acting: what was due meanwhile must not be held against them. */
  async watch<T>(call: Promise<T>): Promise<T> {
    const startedAt = this.#clock.elapsed();
    let hasFailed = false;
    try {
      return await call;
    } catch (error) {
      hasFailed = error instanceof LogUnavailable;
      throw error;
    } finally {
      const isSlow = this.#clock.elapsed() - startedAt >= sharingLimits.outageMs;
      if (hasFailed || isSlow) this.interrupt();
    }
  }

  /** Nobody else appends. */
  newest<State>(inMemory: State | undefined): State | undefined {
    return inMemory;
  }

  admit(reads: { assureAll(version: number): void }): void {
    reads.assureAll(0);
  }

  /** Nobody else can have changed what it was decided on, so they need not wait for the commit. */
  noteRefused(mailbox: { settle(outcome: "committed"): void }): void {
    mailbox.settle("committed");
  }

  hear(): void {}

  look(): void {}

  noteLoaded(): void {}

  afterOthers(): void {}

  awaitBeat(): void {}

  holdBack(): void {}

  announce(): void {}

  doubt(): void {}

  resent(): void {}
}
