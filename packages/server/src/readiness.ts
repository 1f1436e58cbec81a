import type { Clock } from "./clock.ts";
import type { Log } from "./log/log.ts";

/** After a failed write, work is better sent elsewhere for so long. */
const failureMemoryMs = 5_000;

/** Whether this node may be sent work, and why not: for load balancers, and whoever wonders. */
export class Readiness {
  readonly #log: Log;
  readonly #clock: Clock;
  #failure: { readonly at: number; readonly reason: string } | undefined;
  #isStopping = false;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** The log could not be used. */
  noteFailure({ message }: Error): void {
    this.#failure = { at: this.#clock.elapsed(), reason: message };
  }

  /** Why the log could not be used lately; undefined when it could. */
  get failure(): string | undefined {
    const isLate = this.#failure && this.#clock.elapsed() - this.#failure.at <= failureMemoryMs;
    return isLate ? this.#failure?.reason : undefined;
  }

  /** Before anything is closed: who looks now goes elsewhere, and is not turned away. */
  noteStop(): void {
    this.#isStopping = true;
  }

  /** Undefined when it is ready. */
  async whyNot(): Promise<string | undefined> {
    if (this.#isStopping) return "The server is stopping.";
    if (this.failure !== undefined) return this.failure;
    return this.#log.nextDue(this.#clock.now()).then(
      () => undefined,
      (error: Error) => error.message,
    );
  }
}
