import { type GameEvent, type GameRoom, type GameTerms, leasedTicketOf } from "@openseat/kernel";
import { type FeedMessage, feedMessage, type Lens, type Viewer } from "../feed/watch.ts";
import type { Entry } from "../log/entry.ts";
import { gameChanges } from "./game-changes.ts";
import { gameView } from "./game-views.ts";
import { type ReadNow, sharedLens } from "./shared-lens.ts";
import { iso } from "./times.ts";

/** How the feed shows a game: the same to everyone. If places expire, it also names the place that watching keeps alive (LS2). */
export function gameLens(id: string, terms: GameTerms, read: ReadNow<GameRoom>): Lens {
  const lens = sharedLens(
    read,
    (room) => ({ game: gameView(id, room) }),
    (entry: Entry<GameEvent>) => ({ game: id, at: iso(entry.at), changes: gameChanges(id, terms, entry) }),
  );
  if (terms.heartbeatTimeoutMs === undefined) return lens;
  const withPlace = (message: FeedMessage, room: GameRoom, viewer: Viewer): FeedMessage => ({
    ...message,
    ticket: viewer === undefined ? null : (leasedTicketOf(room, viewer) ?? null),
  });
  return {
    change: lens.change,
    view: (viewer) =>
      read((room, version) =>
        room
          ? withPlace(feedMessage("view", version, { game: gameView(id, room) }), room, viewer)
          : undefined,
      ),
    live(entries, state) {
      const changes = entries.map(lens.change);
      const last = changes.pop()!;
      return (viewer) => [...changes, withPlace(last, state as GameRoom, viewer)];
    },
  };
}
