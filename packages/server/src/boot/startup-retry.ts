import type { Config } from "../config/settings.ts";
import { refusalFor } from "../host/trouble.ts";
import { LogUnavailable } from "../log/log.ts";
import { openWaitingServer, type Ports, type WaitingServer } from "../transport/http/waiting-server.ts";

/** How long to wait before trying again. */
const retryMs = 500;
/** What takes longer than this has the port opened for it, so that whoever looks after the process sees that it is alive. */
const unseenMs = 1_000;

/** Told once of each reason for which a start has to wait, and where the port is held meanwhile. */
export type OnWaiting = (reason: string, url: string) => void;

/**
 * A start that waits for its database, as long as it takes: what needs it is tried again, and the port is held meanwhile
 * by a small server that says so (CL4).
 */
export class Waiting {
  readonly #config: Config;
  readonly #onWaiting: OnWaiting;
  #server: Promise<WaitingServer> | undefined;
  #trouble = new LogUnavailable("The database has not answered yet.");

  constructor(config: Config, onWaiting: OnWaiting) {
    this.#config = config;
    this.#onWaiting = onWaiting;
  }

  /** What `make` gives, once it can. Only that the log is away is waited out: whatever else fails, fails. */
  async until<Made>(make: () => Promise<Made>): Promise<Made> {
    // A data folder that cannot be used does not come back by itself.
    if (this.#config.databaseUrl === undefined) return make();
    for (;;) {
      const slow = setTimeout(() => void this.#wait(this.#trouble).catch(() => {}), unseenMs);
      try {
        return await make();
      } catch (error) {
        if (!(error instanceof LogUnavailable)) {
          await this.end();
          throw error;
        }
        await this.#wait(error);
      } finally {
        clearTimeout(slow);
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }

  /** Lets go of the ports, if they were held, for the server itself; gives their numbers. */
  async end(): Promise<Ports> {
    const server = await this.#server;
    await server?.close();
    return server?.ports ?? this.#config;
  }

  async #wait(trouble: LogUnavailable): Promise<void> {
    const isNews = this.#server === undefined || trouble.detail !== this.#trouble.detail;
    this.#trouble = trouble;
    this.#server ??= openWaitingServer(this.#config, refusalFor(trouble), () => this.#trouble.message);
    const { url } = await this.#server;
    if (isNews) this.#onWaiting(trouble.detail, url);
  }
}
