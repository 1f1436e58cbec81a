import { type Clock, inTime, shared } from "../clock.ts";
import type { Log } from "../log/log.ts";
import { sharingLimits } from "../log/sharing.ts";

const unanswered = "The database has not answered for a while.";

/** After a failed write, other nodes are preferred for this long. */
const failureMemoryMs = 5_000;

/** Load balancers commonly time out after a second. */
const answerMs = 800;

/** Whether this node is ready for work, and why not: for load balancers and operators. */
export class Readiness {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #sinceHeartbeatMs: () => number | undefined;
  /** Shared, so that checks do not pile up while the log hangs. */
  readonly #ask = shared(() =>
    this.#log.nextDue(this.#clock.now()).then(
      () => undefined,
      (error: Error) => error.message,
    ),
  );
  #failure: { readonly at: number; readonly reason: string } | undefined;
  #isStopping = false;

  /** `sinceHeartbeatMs`: time since this node's last heartbeat. Undefined for a sole owner. */
  constructor(log: Log, clock: Clock, sinceHeartbeatMs: () => number | undefined = () => undefined) {
    this.#log = log;
    this.#clock = clock;
    this.#sinceHeartbeatMs = sinceHeartbeatMs;
  }

  /** Records that the log could not be used. */
  noteFailure({ message }: Error): void {
    this.#failure = { at: this.#clock.elapsed(), reason: message };
  }

  /** Why the log could not be used recently; undefined if it could. */
  get failure(): string | undefined {
    if (this.#log.failure) return this.#log.failure.message;
    const { at, reason } = this.#failure ?? { at: Number.NEGATIVE_INFINITY, reason: unanswered };
    // One failed commit, for example because somebody locked the room's row, says nothing about a node that can still write.
    const sinceHeartbeatMs = this.#sinceHeartbeatMs();
    if (sinceHeartbeatMs !== undefined)
      return sinceHeartbeatMs > sharingLimits.goneAfterMs ? reason : undefined;
    return this.#clock.elapsed() - at <= failureMemoryMs ? reason : undefined;
  }

  /** Call it before anything is closed, so that load balancers send work elsewhere before it would be refused. */
  noteStop(): void {
    this.#isStopping = true;
  }

  /** Undefined if the node is ready. */
  async whyNot(): Promise<string | undefined> {
    if (this.#isStopping) return "The server is stopping.";
    if (this.failure !== undefined) return this.failure;
    return inTime(this.#clock, answerMs, this.#ask(), "The log has not answered yet.");
  }
}
