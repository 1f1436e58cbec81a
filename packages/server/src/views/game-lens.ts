import {
  type GameEvent,
  type GameRoom,
  type GameTerms,
  leasedTicketOf,
  type PersonId,
} from "@openseat/kernel";
import { type FeedMessage, feedMessage, type Lens, type Viewer } from "../feed/watch.ts";
import type { Entry } from "../log/entry.ts";
import { gameChanges } from "./game-changes.ts";
import { gameView } from "./game-views.ts";
import { iso } from "./times.ts";

type Look = <T>(look: (room: GameRoom | undefined, version: number) => T) => Promise<T | undefined>;

/** How the feed shows a game: the same to all. Where places expire, it also says whose place lasts while they watch (LS2). */
export function gameLens(id: string, terms: GameTerms, look: Look): Lens {
  const change = (entry: Entry): FeedMessage => {
    const changes = gameChanges(id, terms, entry as Entry<GameEvent>);
    return feedMessage("change", entry.version, { game: id, at: iso(entry.at), changes });
  };
  const view = (viewer: Viewer) =>
    look((room, version) => {
      if (!room) return undefined;
      const message = feedMessage("view", version, { game: gameView(id, room) });
      return terms.heartbeatTimeoutMs === undefined ? message : { ...message, ticket: placeOf(room, viewer) };
    });
  if (terms.heartbeatTimeoutMs === undefined) return { view, change };
  return {
    view,
    change,
    live(entries, state) {
      const changes = entries.map(change);
      const last = changes.pop()!;
      return (viewer) => [...changes, { ...last, ticket: placeOf(state as GameRoom, viewer) }];
    },
  };
}

function placeOf(room: GameRoom, viewer: Viewer): number | null {
  return viewer === undefined ? null : (leasedTicketOf(room, viewer as PersonId) ?? null);
}
