import type { Millis } from "@openseat/kernel";
import { LogUnavailable, type StreamName } from "../../log/log.ts";
import type { HostContext } from "../host-context.ts";
import { Alarm } from "./alarm.ts";

const dueStreamsMax = 2_000;
const retryMsMax = 1_000;

/** RM7, CL5: wakes streams when they are due, including those that no node has in memory. */
export class DueStreams {
  readonly #context: HostContext;
  readonly #wakeDue: (stream: StreamName, now: Millis) => void;
  readonly #alarm: Alarm;
  /** Capped by `dueLateMs`: otherwise other nodes would wait for this node's pause to end after an outage. */
  readonly #retryMs: number;
  #isStopped = false;

  constructor(context: HostContext, wakeDue: (stream: StreamName, now: Millis) => void) {
    this.#context = context;
    this.#wakeDue = wakeDue;
    this.#retryMs = Math.min(retryMsMax, context.log.dueLateMs);
    this.#alarm = new Alarm(context.clock, () => void this.#wake());
  }

  start(): void {
    this.at(this.#context.clock.now());
  }

  stop(): void {
    this.#isStopped = true;
    this.#alarm.stop();
  }

  at(due: Millis | undefined): void {
    this.#alarm.setFor(due);
  }

  again(): void {
    this.at((this.#context.clock.now() + this.#retryMs) as Millis);
  }

  async #wake(): Promise<void> {
    const { log, clock, membership, onError } = this.#context;
    const now = clock.now();
    try {
      // Skip this if the log is read-only: due work could not be decided, and people cannot act.
      const due = await membership.watch(
        log.failure ? Promise.reject(log.failure) : log.due(now, dueStreamsMax),
      );
      for (const stream of due) {
        if (this.#isStopped) return;
        this.#wakeDue(stream, now);
      }
      // Ask the log again soon, because another node may have set a timer and crashed since.
      const next = Math.min((await log.nextDue(now)) ?? Number.POSITIVE_INFINITY, now + log.dueLateMs);
      if (next < Number.POSITIVE_INFINITY) this.at(next as Millis);
      // Streams that were woken stay due until their entry is written.
      if (due.length > 0) this.at((now + this.#retryMs) as Millis);
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      onError(error);
      this.at((now + this.#retryMs) as Millis);
    }
    if (this.#isStopped) this.#alarm.stop();
  }
}
