import type { SessionStatus } from "./calls.ts";
import { Recent } from "./recent.ts";
import type { Runtime } from "./runtime.ts";

/** Sessions whose last heartbeat is remembered. The heartbeats of others are sent more often. */
const rememberedMax = 50_000;
const runningMax = 32;

/** Tells Openseat in the background that visitors are active, so that their sessions do not expire. */
export class Heartbeats {
  readonly #send: (session: string) => Promise<SessionStatus>;
  readonly #everyMs: number;
  readonly #runtime: Runtime;
  readonly #sentAt = new Recent<number>(rememberedMax);
  #running = 0;

  constructor(send: (session: string) => Promise<SessionStatus>, everyMs: number, runtime: Runtime) {
    this.#send = send;
    this.#everyMs = everyMs;
    this.#runtime = runtime;
  }

  /** Whether it is time for one. */
  isDue(session: string): boolean {
    if (this.#everyMs === 0 || (this.#running >= runningMax && !this.#runtime.isPerRequest)) return false;
    const last = this.#sentAt.get(session);
    return last === undefined || this.#runtime.now() - last >= this.#everyMs;
  }

  async send(session: string): Promise<SessionStatus> {
    this.#sentAt.set(session, this.#runtime.now());
    this.#running++;
    try {
      return await this.#send(session);
    } finally {
      this.#running--;
    }
  }
}
