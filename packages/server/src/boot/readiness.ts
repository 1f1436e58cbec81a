import { type Clock, inTime, shared } from "../clock.ts";
import type { Log } from "../log/log.ts";
import { sharingLimits } from "../log/sharing.ts";

const unanswered = "The database has not answered for a while.";

/** After a failed write, work is better sent elsewhere for so long. */
const failureMemoryMs = 5_000;

/** Load balancers commonly give up after a second. */
const answerMs = 800;

/** Whether this node may be sent work, and why not: for load balancers and operators. */
export class Readiness {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #sinceBeatMs: () => number | undefined;
  /** Shared: however often it is asked, nothing piles up for a log that hangs. */
  readonly #ask = shared(() =>
    this.#log.nextDue(this.#clock.now()).then(
      () => undefined,
      (error: Error) => error.message,
    ),
  );
  #failure: { readonly at: number; readonly reason: string } | undefined;
  #isStopping = false;

  /** `sinceBeatMs`: how long ago this node last told the others that it is there; undefined where it has the log for itself. */
  constructor(log: Log, clock: Clock, sinceBeatMs: () => number | undefined = () => undefined) {
    this.#log = log;
    this.#clock = clock;
    this.#sinceBeatMs = sinceBeatMs;
  }

  /** The log could not be used. */
  noteFailure({ message }: Error): void {
    this.#failure = { at: this.#clock.elapsed(), reason: message };
  }

  /** Why the log could not be used lately; undefined when it could. */
  get failure(): string | undefined {
    if (this.#log.failure) return this.#log.failure.message;
    const { at, reason } = this.#failure ?? { at: Number.NEGATIVE_INFINITY, reason: unanswered };
    // One room whose turn failed, as when somebody has locked its row, says nothing about a node that goes on writing.
    const sinceBeatMs = this.#sinceBeatMs();
    if (sinceBeatMs !== undefined) return sinceBeatMs > sharingLimits.goneAfterMs ? reason : undefined;
    return this.#clock.elapsed() - at <= failureMemoryMs ? reason : undefined;
  }

  /** Before anything is closed, so that load balancers send work elsewhere instead of having it refused. */
  noteStop(): void {
    this.#isStopping = true;
  }

  /** Undefined when it is ready. */
  async whyNot(): Promise<string | undefined> {
    if (this.#isStopping) return "The server is stopping.";
    if (this.failure !== undefined) return this.failure;
    return inTime(this.#clock, answerMs, this.#ask(), "The log has not answered yet.");
  }
}
