import type { Queue, QueueChange } from "@openseat/protocol";
import type { OpenseatError } from "./errors.ts";
import type { Page, PageQuery } from "./http/paging.ts";
import type { RoomKind } from "./live/watched-room.ts";
import type { Watches } from "./live/watches.ts";
import type { Requests } from "./requests.ts";

const queueKind: RoomKind<Queue, QueueChange> = {
  name: "queue",
  isPersonal: false,
  viewIn: (message) => message.queue as Queue,
  changesIn: (message) => message.changes as QueueChange[],
  after(queue, message) {
    const changes = message.changes as QueueChange[];
    const settings = changes.find((change) => change.type === "settings-changed");
    const isEnded = changes.some((change) => change.type === "queue-ended");
    const { waiting, admitted, active } = message as unknown as Queue;
    return {
      ...(settings?.queue ?? queue),
      ...(isEnded && { status: "ENDED" }),
      ...{ waiting, admitted, active },
    };
  },
};

/** One waiting room. */
export class QueueHandle {
  readonly id: string;
  readonly #requests: Requests;
  readonly #watches: Watches;

  constructor(id: string, requests: Requests, watches: Watches) {
    this.id = id;
    this.#requests = requests;
    this.#watches = watches;
  }

  async get(): Promise<Queue> {
    return (await this.#requests.read<{ queue: Queue }>(this.#path())).queue;
  }

  /** Ends the queue and all its places permanently. For operators. */
  async end(): Promise<Queue> {
    return (await this.#requests.write<{ queue: Queue }>(this.#path("/end"))).queue;
  }

  #path(rest = ""): string {
    return `/api/v1/queues/${encodeURIComponent(this.id)}${rest}`;
  }

  /** Calls the listener with the queue now and after each change. For services and operators. Returns a function that stops watching. */
  watch(
    listener: (queue: Queue, changes: readonly QueueChange[]) => void,
    onRefused?: (error: OpenseatError) => void,
  ): () => void {
    return this.#watches.watch(queueKind, this.id, listener, onRefused);
  }
}

/** All waiting rooms. */
export class Queues {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Lists queues, newest first. */
  list(query: PageQuery & { readonly status?: Queue["status"] } = {}): Promise<Page<"queues", Queue>> {
    return this.#requests.read("/api/v1/queues", { ...query });
  }
}
