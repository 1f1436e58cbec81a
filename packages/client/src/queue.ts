import type { Queue } from "@openseat/protocol";
import type { Asking } from "./asking.ts";
import type { Page, PageQuery } from "./paging.ts";

/** One waiting room. */
export class QueueHandle {
  readonly id: string;
  readonly #asking: Asking;

  constructor(id: string, asking: Asking) {
    this.id = id;
    this.#asking = asking;
  }

  async get(): Promise<Queue> {
    return (await this.#asking.look<{ queue: Queue }>(this.#path())).queue;
  }

  /** For good, and with it every place; for operators. */
  async end(): Promise<Queue> {
    return (await this.#asking.change<{ queue: Queue }>(this.#path("/end"))).queue;
  }

  #path(rest = ""): string {
    return `/api/v1/queues/${encodeURIComponent(this.id)}${rest}`;
  }
}

/** All waiting rooms. */
export class Queues {
  readonly #asking: Asking;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** The newest first. */
  list(query: PageQuery & { readonly status?: Queue["status"] } = {}): Promise<Page<"queues", Queue>> {
    return this.#asking.look("/api/v1/queues", { ...query });
  }
}
