import type { GateContext } from "../visit/request.ts";

/**
 * Whether the platform ties every call to the request that made it, and stops it with that request. A call must then not be
 * shared with other requests, and needs `waitUntil` to outlive its own.
 */
export const isPerRequest =
  (typeof navigator === "object" && navigator?.userAgent === "Cloudflare-Workers") ||
  "EdgeRuntime" in globalThis;

/** One run at a time: callers that come meanwhile get its result. */
export class Shared<T> {
  readonly #work: () => Promise<T>;
  #running: Promise<T> | undefined;

  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  run(): Promise<T> {
    if (isPerRequest) return this.#work();
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }
}

/** Lets `work` go on after the answer. Resolves when the answer may be sent. It must not reject. */
export async function inBackground(context: GateContext, work: Promise<unknown>): Promise<void> {
  const quiet = work.catch(() => undefined);
  if (context.waitUntil) context.waitUntil(quiet);
  else if (isPerRequest) await quiet;
}
