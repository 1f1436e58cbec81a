import type { LogUnavailable } from "../log.ts";

/** How often late calls are looked for: a timer per call would cost as much as the call. */
export const tickMs = 250;

interface Pending {
  resolve(value: never): void;
  reject(error: Error): void;
  readonly since: number;
  /** False while the call waits in a queue of this process. */
  isSent: boolean;
}

/** Calls to the log's thread that have not been answered, the oldest first. */
export class PendingCalls {
  readonly #calls = new Map<number, Pending>();
  readonly #ticksMax: number;
  /** Time is counted in ticks: a process that stalled has not waited. */
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

  /** To be called with each tick: rejects late calls. True when the thread had some of them. */
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
