import type { Millis } from "@openseat/kernel";
import type { Clock } from "../../clock.ts";
import { type Log, LogUnavailable, type StreamName } from "../../log/log.ts";
import type { Membership } from "../cluster/membership.ts";
import { Alarm } from "./alarm.ts";

const dueStreamsMax = 2_000;
const retryMsMax = 1_000;

interface DueStreamsDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly membership: Membership;
  /** It wanted to be woken by now. */
  readonly wake: (stream: StreamName, now: Millis) => void;
  readonly onError: (error: unknown) => void;
}

/** RM7, CL5: streams are woken when they want to be, also those that nobody has in memory. */
export class DueStreams {
  readonly #parts: DueStreamsDeps;
  readonly #alarm: Alarm;
  #isStopped = false;

  constructor(parts: DueStreamsDeps) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock, () => void this.#wake());
  }

  /** What came due while nobody looked, and everything after it in time. */
  start(): void {
    this.at(this.#parts.clock.now());
  }

  stop(): void {
    this.#isStopped = true;
    this.#alarm.stop();
  }

  /** Something will be due. */
  at(due: Millis | undefined): void {
    this.#alarm.setFor(due);
  }

  /** Whatever was due is due still, though it could not be done. */
  again(): void {
    this.at((this.#parts.clock.now() + this.#retryMs) as Millis);
  }

  /** Once the others can use the log again, they do not wait for this one's pause to end. */
  get #retryMs(): number {
    return Math.min(retryMsMax, this.#parts.log.dueLateMs);
  }

  async #wake(): Promise<void> {
    const { log, clock, membership, wake, onError } = this.#parts;
    const now = clock.now();
    try {
      // Also while it can only be read: what is due could not be decided, and people cannot act.
      const due = await membership.watch(
        log.trouble ? Promise.reject(log.trouble) : log.due(now, dueStreamsMax),
      );
      for (const stream of due) {
        if (this.#isStopped) return;
        wake(stream, now);
      }
      // Other nodes may set timers too, and be gone when they ring: so it is looked again before long.
      const next = Math.min((await log.nextDue(now)) ?? Number.POSITIVE_INFINITY, now + log.dueLateMs);
      if (next < Number.POSITIVE_INFINITY) this.at(next as Millis);
      // What is being woken stays due until its entry is written. It is looked at again, but not at once.
      if (due.length > 0) this.at((now + this.#retryMs) as Millis);
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      onError(error);
      this.at((now + this.#retryMs) as Millis);
    }
    if (this.#isStopped) this.#alarm.stop();
  }
}
