import type { Refusal } from "@openseat/kernel";
import type { Arenas } from "../../app/arenas/arenas.ts";
import type { Conversations } from "../../app/chat/conversations.ts";
import type { Games } from "../../app/games/games.ts";
import type { Ladders } from "../../app/ladders/ladders.ts";
import type { Queues } from "../../app/queues/queues.ts";
import { refused } from "../../app/result.ts";
import type { Hub } from "../../feed/hub.ts";
import type { Lens, Subscriber, Viewer } from "../../feed/watch.ts";
import { type Answer, success } from "../http/envelope.ts";
import type { Reply } from "./messages.ts";
import { type Room, roomSeenBy, watchRoom } from "./watch-room.ts";

export interface Watchable {
  readonly games: Games;
  readonly arenas: Arenas;
  readonly ladders: Ladders;
  readonly conversations: Conversations;
  readonly queues: Queues;
  readonly hub: Hub;
}

export function lensOf(
  { games, arenas, ladders, conversations, queues }: Watchable,
  { kind, id }: Room,
): Promise<Lens | { refusal: Refusal }> {
  const shown = { game: games, arena: arenas, ladder: ladders, queue: queues, conversation: conversations };
  return shown[kind].lens(id);
}

/** The rooms that a connection follows. */
export class RoomWatches {
  readonly #watchable: Watchable;
  readonly #subscriber: Subscriber;
  readonly #max: number;
  readonly #open = new Map<string, { close(): void }>();

  constructor(watchable: Watchable, subscriber: Subscriber, max: number) {
    this.#watchable = watchable;
    this.#subscriber = subscriber;
    this.#max = max;
  }

  async watch(room: Room, from: { after: number | undefined; viewer: Viewer }): Promise<Reply> {
    const { kind, id } = room;
    const name = `${kind}/${id}`;
    const seen = roomSeenBy(room, from.viewer);
    if ("refusal" in seen) return seen;
    if (this.#open.size >= this.#max && !this.#open.has(name)) {
      const message = `One connection can watch ${this.#max} rooms at most.`;
      return refused({ code: "limit.watches", message });
    }
    // Taken before the lookup: otherwise many simultaneous messages would all pass the limit.
    const place = { close() {} };
    this.#open.get(name)?.close();
    this.#open.set(name, place);
    const lens = await lensOf(this.#watchable, seen);
    const isWanted = this.#open.get(name) === place;
    if ("refusal" in lens) {
      if (isWanted) this.#open.delete(name);
      return lens;
    }
    // A later message may have replaced or ended this watch during the lookup.
    if (isWanted) this.#open.set(name, watchRoom(this.#watchable, seen, lens, this.#subscriber, from));
    return success(200, `You are watching the ${kind}.`, { [kind]: id });
  }

  unwatch({ kind, id }: Room): Answer {
    const name = `${kind}/${id}`;
    this.#open.get(name)?.close();
    this.#open.delete(name);
    return success(200, `You are no longer watching the ${kind}.`, { [kind]: id });
  }

  close(): void {
    for (const watch of this.#open.values()) watch.close();
    this.#open.clear();
  }
}
