import type { ChildServer } from "../support/child-server.ts";

const momentMsMax = 5;

/**
 * Kills a server amid its work: once it has answered this often, and a random moment later. Not after some time, in which a
 * busy machine may have done next to nothing.
 */
export class KillAmidWork {
  readonly #server: ChildServer;
  readonly #momentMs: number;
  #left: number;

  constructor(server: ChildServer, { answers, moment }: { answers: number; moment: number }) {
    this.#server = server;
    this.#left = Math.max(1, Math.ceil(answers));
    this.#momentMs = moment * momentMsMax;
  }

  /** To be told of each answer. */
  answered(): void {
    if (--this.#left === 0) setTimeout(() => this.#server.process.kill("SIGKILL"), this.#momentMs);
  }
}
