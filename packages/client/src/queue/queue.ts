import type {
  NewQueue,
  Position,
  PositionDetails,
  Queue,
  QueueChange,
  QueueChanges,
  QueueStats,
  Session,
} from "@openseat/protocol";
import { OpenseatError } from "../errors.ts";
import type { Page, PageQuery } from "../http/paging.ts";
import type { RoomKind } from "../live/watched-room.ts";
import type { Watches } from "../live/watches.ts";
import type { Requests } from "../requests.ts";
import { Place, type PlaceDeps } from "./place.ts";

export interface QueueUpdate {
  readonly queue: Queue;
  readonly changes: readonly QueueChange[];
}

export interface EnterOptions {
  /** Kept with the place, and shown to the person, services and operators. At most 1,024 bytes as JSON. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface EnterForOptions extends EnterOptions {
  /** The number or name of a lane. */
  readonly lane?: number | string | undefined;
}

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
  readonly #places: PlaceDeps;

  constructor(id: string, watches: Watches, places: PlaceDeps) {
    this.id = id;
    this.#requests = places.requests;
    this.#watches = watches;
    this.#places = places;
  }

  /** Enters the line. Entering again returns the same place. */
  async enter({ metadata }: EnterOptions = {}): Promise<Place> {
    return this.#placeAt(await this.#enter(metadata && { metadata }));
  }

  /** The person's place that this device remembers, for example after a reload; undefined if there is none or it is over. */
  place(): Promise<Place | undefined>;
  /** The place with this id. */
  place(id: string): Promise<Place>;
  async place(id?: string): Promise<Place | undefined> {
    if (id !== undefined) return this.#placeAt(await this.position(id));
    const { stored, me } = this.#places;
    const known = stored.of(this.id, me());
    if (!known) return undefined;
    try {
      const place = this.#placeAt(await this.position(known.id));
      return place.isOver ? undefined : place;
    } catch (error) {
      if (!(error instanceof OpenseatError) || ![404, 410].includes(error.status)) throw error;
      stored.forget(this.id, known);
      return undefined;
    }
  }

  async get(): Promise<Queue> {
    return (await this.#requests.read<{ queue: Queue }>(this.#path())).queue;
  }

  /** The counts, the pace of the last minute, and the accuracy of the estimates. */
  async stats(): Promise<QueueStats> {
    return (await this.#requests.read<{ stats: QueueStats }>(this.#path("/stats"))).stats;
  }

  /** Changes settings while the queue runs. For operators. */
  async update(changes: QueueChanges): Promise<Queue> {
    return (await this.#requests.write<{ queue: Queue }>(this.#path(), changes, "PATCH")).queue;
  }

  /** Stops admissions. Everyone keeps their place. For operators. */
  pause(): Promise<Queue> {
    return this.#command("pause");
  }

  /** For operators. */
  resume(): Promise<Queue> {
    return this.#command("resume");
  }

  /** Ends the queue and all its places permanently. For operators. */
  end(): Promise<Queue> {
    return this.#command("end");
  }

  /** Enters another person. Entering again returns the same place. For services and operators. */
  enterFor(userId: string, { lane, metadata }: EnterForOptions = {}): Promise<Position> {
    return this.#enter({ userId, lane, metadata });
  }

  /** A place by its id: one's own; for services and operators anyone's. Asking for one's own is a heartbeat. */
  async position(id: string): Promise<Position> {
    return (await this.#requests.readAsPerson<{ position: Position }>(placePath(id))).position;
  }

  /** What was stored with a place on entering. */
  async details(id: string): Promise<PositionDetails> {
    const path = `${placePath(id)}/details`;
    return (await this.#requests.readAsPerson<{ details: PositionDetails }>(path)).details;
  }

  /** Ends a place in the line or after it. For services and operators. */
  async remove(id: string): Promise<void> {
    await this.#requests.write(placePath(id), undefined, "DELETE");
  }

  /** Claims the admission of another person. Claiming again returns the same session. For services and operators. */
  async claimFor(token: string): Promise<Session> {
    const claim = { token, queue: this.id };
    return (await this.#requests.write<{ session: Session }>("/api/v1/sessions", claim)).session;
  }

  /** Ends a session whose visit is done. For services and operators. */
  async completeSession(id: string): Promise<void> {
    await this.#requests.write(`${sessionPath(id)}/complete`);
  }

  /** Ends a session early. For services and operators. */
  async endSession(id: string): Promise<void> {
    await this.#requests.write(sessionPath(id), undefined, "DELETE");
  }

  /** Calls the listener with the queue now and after each change. For services and operators. Returns a function that stops watching. */
  watch(
    listener: (queue: Queue, changes: readonly QueueChange[]) => void,
    onRefused?: (error: OpenseatError) => void,
  ): () => void {
    return this.#watches.watch(queueKind, this.id, listener, onRefused);
  }

  /** `watch` as an async iterator. */
  updates(): AsyncIterableIterator<QueueUpdate, undefined> {
    return this.#watches.updates(this.watch.bind(this), (queue, changes) => ({ queue, changes }));
  }

  async #enter(body?: object): Promise<Position> {
    return (await this.#requests.write<{ position: Position }>(this.#path("/positions"), body)).position;
  }

  async #command(name: "pause" | "resume" | "end"): Promise<Queue> {
    return (await this.#requests.write<{ queue: Queue }>(this.#path(`/${name}`))).queue;
  }

  #placeAt(position: Position): Place {
    return new Place(position, this.#places);
  }

  #path(rest = ""): string {
    return `/api/v1/queues/${encodeURIComponent(this.id)}${rest}`;
  }
}

function placePath(id: string): string {
  return `/api/v1/positions/${encodeURIComponent(id)}`;
}

function sessionPath(id: string): string {
  return `/api/v1/sessions/${encodeURIComponent(id)}`;
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

  /** For operators. */
  async create(queue: NewQueue): Promise<Queue> {
    return (await this.#requests.write<{ queue: Queue }>("/api/v1/queues", queue)).queue;
  }
}
