import { isBadToken, noWebSocket, type OpenseatError, refusalIn } from "../errors.ts";
import { pauseMs } from "../http/retry.ts";
import type { Clock } from "../platform.ts";
import type { FeedMessage } from "./live-link.ts";
import type { LiveSocket } from "./live-socket.ts";
import { Updates } from "./updates.ts";
import { type RoomKind, WatchedRoom, type WatchListener } from "./watched-room.ts";

export interface WatchesDeps {
  readonly socket: LiveSocket;
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (error: unknown) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: rooms of all kinds, each with views of its own
type AnyRoom = WatchedRoom<any, any>;

/** All watched rooms over one connection. Each room is watched once for all its listeners. */
export class Watches {
  readonly #deps: WatchesDeps;
  readonly #rooms = new Map<string, AnyRoom>();
  /** Rooms whose unwatch request is pending. Messages of the old watch may still arrive until it is answered. */
  readonly #leaving = new Map<string, Promise<unknown>>();
  readonly #updates = new Set<{ end(): void }>();
  /** Why the connection is anonymous although this client has a token. */
  #tokenRefusal: OpenseatError | undefined;

  constructor(deps: WatchesDeps) {
    this.#deps = deps;
  }

  watch<View, Change>(
    kind: RoomKind<View, Change>,
    id: string,
    onView: WatchListener<View, Change>,
    onRefused?: (error: OpenseatError) => void,
  ): () => void {
    if (!this.#deps.socket.isPossible) return this.#refuseSoon(onRefused);
    const room = this.#roomOf(kind, id);
    const watcher = { onView, onRefused, isNew: true };
    room.add(watcher);
    if (this.#tokenRefusal)
      queueMicrotask(() => this.#tokenRefusal && room.tell(this.#tokenRefusal, watcher));
    return () => {
      if (room.watchers.delete(watcher) && room.watchers.size === 0) this.#drop(room);
    };
  }

  /** The same watch as an async iterator. `update` makes what it yields from a view and the changes since the last one. */
  updates<View, Change, Update>(
    watch: (onView: WatchListener<View, Change>, onRefused: (error: OpenseatError) => void) => () => void,
    update: (view: View, changes: readonly Change[]) => Update,
  ): AsyncIterableIterator<Update, undefined> {
    const updates = new Updates<Unread<View, Change>, Update>({
      start: (push, fail) => {
        this.#updates.add(updates);
        const stop = watch((view, changes) => push({ view, changes: [...changes] }), fail);
        return () => {
          this.#updates.delete(updates);
          stop();
        };
      },
      merge,
      show: ({ view, changes }) => update(view, changes),
    });
    return updates;
  }

  /** Asynchronously, as other refusals: the caller does not have the stop function yet. */
  #refuseSoon(onRefused = this.#deps.report as (error: OpenseatError) => void): () => void {
    let isOver = false;
    queueMicrotask(() => isOver || onRefused(noWebSocket()));
    return () => {
      isOver = true;
    };
  }

  /** Watchers keep watching what is public, but not as this person. They are told once. */
  onTokenRefused(error: OpenseatError): void {
    if (this.#tokenRefusal) return;
    this.#tokenRefusal = error;
    for (const room of [...this.#rooms.values()])
      for (const watcher of [...room.watchers]) room.tell(error, watcher);
  }

  onTokenAccepted(): void {
    this.#tokenRefusal = undefined;
  }

  /** After a reconnect: watch every room again, from its last version. */
  resume(): void {
    for (const room of this.#rooms.values()) {
      room.forgetHeld();
      void this.#ask(room);
    }
  }

  /** The person changed: watch personal rooms again. */
  rewatchForPerson(): void {
    const isOpen = this.#deps.socket.connection === "open";
    for (const room of this.#rooms.values()) {
      const { isPersonal, keepsPlace } = room.kind;
      if (isPersonal) room.forgetShown();
      else if (keepsPlace) room.forgetHeld();
      else continue;
      if (!isOpen) continue;
      this.#unwatch(room);
      void this.#ask(room);
    }
  }

  take(message: FeedMessage): void {
    const room = this.#rooms.get(keyOf(message));
    if (room && !room.take(message)) this.#deps.socket.reconnect("messages were missing");
  }

  close(): void {
    for (const room of this.#rooms.values()) room.watchers.clear();
    this.#rooms.clear();
    for (const updates of [...this.#updates]) updates.end();
  }

  #roomOf<View, Change>(kind: RoomKind<View, Change>, id: string): WatchedRoom<View, Change> {
    const key = `${kind.name}/${id}`;
    const found = this.#rooms.get(key);
    if (found) return found;
    const room = new WatchedRoom(kind, id, this.#deps.report);
    this.#rooms.set(key, room);
    this.#deps.socket.acquire(this);
    if (this.#deps.socket.connection === "open") void this.#ask(room);
    return room;
  }

  #drop(room: AnyRoom): void {
    this.#forget(room);
    if (this.#deps.socket.connection === "open") this.#unwatch(room);
  }

  #forget(room: AnyRoom): void {
    if (this.#isWatched(room)) this.#rooms.delete(`${room.kind.name}/${room.id}`);
    if (this.#rooms.size === 0) this.#deps.socket.release(this);
  }

  #isWatched(room: AnyRoom): boolean {
    return this.#rooms.get(`${room.kind.name}/${room.id}`) === room;
  }

  #unwatch({ kind, id }: AnyRoom): void {
    const key = `${kind.name}/${id}`;
    // Ignore a failure: when the connection ends, its watches end too.
    const answered = this.#deps.socket.ask({ type: "unwatch", [kind.name]: id }).catch(() => {});
    this.#leaving.set(key, answered);
    void answered.then(() => {
      if (this.#leaving.get(key) === answered) this.#leaving.delete(key);
    });
  }

  async #ask(room: AnyRoom): Promise<void> {
    const { kind, id } = room;
    await this.#leaving.get(`${kind.name}/${id}`);
    if (!this.#isWatched(room) || room.isAsked) return;
    room.isAsked = true;
    const after = room.version === undefined ? {} : { after: room.version };
    try {
      const { status, body } = await this.#deps.socket.ask({ type: "watch", [kind.name]: id, ...after });
      const refusal = refusalIn(body, status, undefined);
      if (!refusal) room.failures = 0;
      else if (this.#isWatched(room)) this.#onRefused(room, refusal);
    } catch (error) {
      // Ignore a lost connection: the next one watches again.
      if ((error as OpenseatError).code === "client.busy") this.#onRefused(room, error as OpenseatError);
    }
  }

  #onRefused(room: AnyRoom, refusal: OpenseatError): void {
    room.isAsked = false;
    // The connection's token has expired: reconnect with a new one.
    if (isBadToken(refusal)) {
      this.#deps.socket.reconnect(refusal.message);
      return;
    }
    if (!refusal.retryable) {
      this.#forget(room);
      room.refuse(refusal);
      return;
    }
    const { clock, random, socket } = this.#deps;
    clock.after(pauseMs(room.failures++, random), () => {
      if (this.#isWatched(room) && socket.connection === "open") void this.#ask(room);
    });
  }
}

interface Unread<View, Change> {
  readonly view: View;
  readonly changes: Change[];
}

/** Changes that a slow reader has not read; above it, only the latest view is kept. */
const unreadMax = 20_000;

function merge<View, Change>(
  { changes: missed }: Unread<View, Change>,
  { view, changes }: Unread<View, Change>,
): Unread<View, Change> {
  if (missed.length + changes.length > unreadMax) return { view, changes: [] };
  for (const change of changes) missed.push(change);
  return { view, changes: missed };
}

/** The key of a message's room. Views hold the whole room, changes only its id; an arena's view also has a `game`. */
function keyOf(message: FeedMessage): string {
  const kind =
    ["arena", "ladder", "queue", "conversation"].find((name) => message[name] !== undefined) ?? "game";
  const room = message[kind];
  return `${kind}/${typeof room === "string" ? room : (room as { id?: unknown } | null)?.id}`;
}
