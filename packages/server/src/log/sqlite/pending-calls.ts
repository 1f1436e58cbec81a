import type { LogUnavailable } from "../log.ts";

/** Interval of checks for late calls: one timer per call would cost as much as the call. */
export const tickMs = 250;

interface Pending {
  resolve(value: never): void;
  reject(error: Error): void;
  readonly since: number;
  /** False while the call waits in a queue of this process. */
  isSent: boolean;
}

/** Unanswered calls to the log's thread, the oldest first. */
export class PendingCalls {
  readonly #calls = new Map<number, Pending>();
  readonly #ticksMax: number;
  /** Time in ticks: a suspended process has not waited. */
  #ticks = 0;

  constructor(timeoutMs: number) {
    this.#ticksMax = Math.max(1, Math.floor(timeoutMs / tickMs));
  }

  get size(): number {
    return this.#calls.size;
  }

  has(id: number): boolean {
    return this.#calls.has(id);
  }

  add(id: number, { resolve, reject }: Pick<Pending, "resolve" | "reject">): void {
    this.#calls.set(id, { resolve, reject, since: this.#ticks, isSent: false });
  }

  noteSent(id: number): void {
    this.#calls.get(id)!.isSent = true;
  }

  /** Undefined for a call that was given up. */
  take(id: number): Pick<Pending, "resolve" | "reject"> | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  /** Call it with each tick: rejects late calls. Returns true if the thread had received some of them. */
  expire(error: LogUnavailable): boolean {
    this.#ticks++;
    let isThreadLate = false;
    for (const [id, { reject, since, isSent }] of this.#calls) {
      if (this.#ticks - since < this.#ticksMax) break;
      this.#calls.delete(id);
      isThreadLate ||= isSent;
      reject(error);
    }
    return isThreadLate;
  }

  rejectAll(error: LogUnavailable): void {
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
  }
}
