import type { LineBroadcast, LineSubscriber } from "../../feed/line-broadcast.ts";
import { pulseView } from "../../views/queue-views.ts";
import { PlaceIds } from "./place-ids.ts";
import { Positions } from "./positions.ts";
import { type QueueDeps, type QueueStreams, Queues } from "./queues.ts";
import { Sessions } from "./sessions.ts";
import { WaitPlaces } from "./wait-places.ts";

export interface WaitingRooms {
  readonly queues: Queues;
  readonly positions: Positions;
  readonly sessions: Sessions;
  readonly places: WaitPlaces;
  /** Follows a place over a connection, which counts as a heartbeat while it is open (LS1). Undefined for an invalid id. */
  follow(id: string, subscriber: LineSubscriber): { close(): void } | undefined;
}

export function waitingRooms(deps: QueueDeps & { readonly lineBroadcast: LineBroadcast }): WaitingRooms {
  const { streams, secret, lineBroadcast } = deps;
  const ids = new PlaceIds("position", secret);
  const positions = new Positions({ ...deps, ids });
  const sessions = new Sessions({ ...deps, ids: new PlaceIds("session", secret) });
  return {
    queues: new Queues(streams, secret, ids),
    ...{ positions, sessions },
    places: new WaitPlaces({ ...deps, ids, positions, sessions }),
    follow(id, subscriber) {
      const name = ids.placeOf(id);
      if (!name) return undefined;
      const hold = streams.hold(name.queue, name.ticket);
      const subscription = lineBroadcast.subscribe(`queue/${name.queue}`, subscriber, name.ticket);
      return {
        close() {
          hold.release();
          subscription.close();
        },
      };
    },
  };
}

/** FD3: the current pulse of a line, the same text for everyone. */
export function pulseReader(streams: QueueStreams) {
  return async (stream: string): Promise<string | undefined> => {
    const queue = stream.slice(stream.indexOf("/") + 1);
    const found = await streams.read(queue, (room, version, now) =>
      room ? JSON.stringify({ type: "pulse", queue, ...pulseView(room, version, now) }) : undefined,
    );
    return "value" in found ? found.value : undefined;
  };
}
