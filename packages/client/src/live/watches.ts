import { isBadToken, type OpenseatError, refusalIn } from "../errors.ts";
import { pauseMs } from "../http/retry.ts";
import type { Clock } from "../platform.ts";
import type { FeedMessage } from "./live-link.ts";
import type { LiveSocket } from "./live-socket.ts";
import { type RoomKind, WatchedRoom, type WatchListener } from "./watched-room.ts";

export interface WatchesDeps {
  readonly socket: LiveSocket;
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (error: unknown) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: rooms of all kinds, each with views of its own
type AnyRoom = WatchedRoom<any, any>;

/** Everything that is watched, over one connection: each room once, however many listen. */
export class Watches {
  readonly #deps: WatchesDeps;
  readonly #rooms = new Map<string, AnyRoom>();
  /** Rooms whose unwatching is not answered yet: until then their old messages may still come. */
  readonly #leaving = new Map<string, Promise<unknown>>();

  constructor(parts: WatchesDeps) {
    this.#deps = parts;
  }

  watch<View, Change>(
    kind: RoomKind<View, Change>,
    id: string,
    hear: WatchListener<View, Change>,
    onRefused?: (error: OpenseatError) => void,
  ): () => void {
    const room = this.#roomOf(kind, id);
    const watcher = { hear, onRefused, isNew: true };
    room.add(watcher);
    return () => {
      if (room.watchers.delete(watcher) && room.watchers.size === 0) this.#drop(room);
    };
  }

  /** A new connection: everything is asked for from where it was. */
  resume(): void {
    for (const room of this.#rooms.values()) {
      room.forgetHeld();
      void this.#ask(room);
    }
  }

  /** Another person looks from now on; an open connection knows of it already. */
  lookAnew(): void {
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
    if (room && !room.take(message)) this.#deps.socket.breakOff("something was missing in between");
  }

  close(): void {
    for (const room of this.#rooms.values()) room.watchers.clear();
    this.#rooms.clear();
  }

  #roomOf<View, Change>(kind: RoomKind<View, Change>, id: string): WatchedRoom<View, Change> {
    const key = `${kind.name}/${id}`;
    const found = this.#rooms.get(key);
    if (found) return found;
    const room = new WatchedRoom(kind, id, this.#deps.report);
    this.#rooms.set(key, room);
    this.#deps.socket.want();
    if (this.#deps.socket.connection === "open") void this.#ask(room);
    return room;
  }

  #drop(room: AnyRoom): void {
    this.#forget(room);
    if (this.#deps.socket.connection === "open") this.#unwatch(room);
  }

  #forget(room: AnyRoom): void {
    if (this.#isWatched(room)) this.#rooms.delete(`${room.kind.name}/${room.id}`);
    if (this.#rooms.size === 0) this.#deps.socket.rest();
  }

  #isWatched(room: AnyRoom): boolean {
    return this.#rooms.get(`${room.kind.name}/${room.id}`) === room;
  }

  #unwatch({ kind, id }: AnyRoom): void {
    const key = `${kind.name}/${id}`;
    // When the connection ends first, there is nothing left to unwatch.
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
      // When the connection has ended, the next one asks again.
      if ((error as OpenseatError).code === "client.busy") this.#onRefused(room, error as OpenseatError);
    }
  }

  #onRefused(room: AnyRoom, refusal: OpenseatError): void {
    room.isAsked = false;
    // What the connection was greeted with has run out meanwhile: the next one is greeted anew.
    if (isBadToken(refusal)) {
      this.#deps.socket.breakOff(refusal.message);
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

/** Views hold the whole room, changes only its id; an arena's view also tells of its game. */
function keyOf(message: FeedMessage): string {
  const kind =
    ["arena", "ladder", "queue", "conversation"].find((name) => message[name] !== undefined) ?? "game";
  const room = message[kind];
  return `${kind}/${typeof room === "string" ? room : (room as { id?: unknown } | null)?.id}`;
}
