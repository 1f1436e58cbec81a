import type { GateContext } from "../visit/request.ts";
import type { Reports } from "./failures.ts";

/** What the gate takes from its platform. Tests replace it. */
export interface Runtime {
  /**
   * Whether the platform ties every call to the request that made it, and stops it with that request. A call must then not be
   * shared with other requests, and needs `waitUntil` to outlive its own.
   */
  readonly isPerRequest: boolean;
  /** A clock that never goes back, in milliseconds. */
  now(): number;
  /** Waits; not at all if the time is not positive. */
  pause(ms: number): Promise<void>;
}

export const platform: Runtime = {
  isPerRequest:
    (typeof navigator === "object" && navigator?.userAgent === "Cloudflare-Workers") ||
    "EdgeRuntime" in globalThis,
  now: () => performance.now(),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms))),
};

/** One run at a time: callers that come meanwhile get its result. If calls are per request, each caller gets a run. */
export class Shared<T> {
  readonly #work: () => Promise<T>;
  readonly #isPerRequest: boolean;
  #running: Promise<T> | undefined;

  constructor(work: () => Promise<T>, { isPerRequest }: Runtime) {
    this.#work = work;
    this.#isPerRequest = isPerRequest;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  run(): Promise<T> {
    if (this.#isPerRequest) return this.#work();
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }
}

/** Work that continues after the answer. */
export class Background {
  readonly #isPerRequest: boolean;
  readonly #reports: Reports;

  constructor({ isPerRequest }: Runtime, reports: Reports) {
    this.#isPerRequest = isPerRequest;
    this.#reports = reports;
  }

  /** Resolves when the answer may be sent. Reports a rejection, because no request waits for it. */
  async run(context: GateContext, work: Promise<unknown>): Promise<void> {
    const reported = work.catch((error) => this.#reports.report(error));
    if (context.waitUntil) context.waitUntil(reported);
    else if (this.#isPerRequest) await reported;
  }
}
