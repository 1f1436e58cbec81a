import { type ArenaEvent, type ArenaRoom, type ArenaTerms, sightIn } from "@openseat/kernel";
import type { Entry } from "../log/entry.ts";
import { arenaChanges } from "./arena-changes.ts";
import { arenaView, matchOnly, sharedView, yourView } from "./arena-views.ts";
import { iso } from "./times.ts";
import type { FeedMessage, Lens, Viewer } from "./watch.ts";

type Look = <T>(look: (room: ArenaRoom | undefined, version: number) => T) => Promise<T | undefined>;

/** How the feed shows an arena, to each viewer their own. */
export function arenaLens(id: string, terms: ArenaTerms, look: Look): Lens {
  return {
    view: (viewer) => look((room, version) => (room ? viewMessage(id, room, version, viewer) : undefined)),
    change: (entry) => changeMessage(id, terms, entry as Entry<ArenaEvent>),
    live(entries, state) {
      const room = state as ArenaRoom;
      const earlier = entries
        .slice(0, -1)
        .map((entry) => changeMessage(id, terms, entry as Entry<ArenaEvent>));
      const last = entries[entries.length - 1] as Entry<ArenaEvent>;
      const head = changeText(id, terms, last);
      const stateFor = stateTexts(room);
      return (viewer) => {
        const { text, ticket } = stateFor(viewer);
        const json = `${head},"state":${text}}`;
        return [...earlier, { type: "change", version: last.version, json, ticket }];
      };
    },
  };
}

function viewMessage(id: string, room: ArenaRoom, version: number, viewer: Viewer): FeedMessage {
  const view = arenaView(id, room, version, viewer);
  const json = JSON.stringify({ type: "view", ...view });
  return { type: "view", version, json, ticket: view.state.you?.ticket ?? null };
}

function changeMessage(id: string, terms: ArenaTerms, entry: Entry<ArenaEvent>): FeedMessage {
  return { type: "change", version: entry.version, json: `${changeText(id, terms, entry)}}` };
}

/** A change but for its last brace. */
function changeText(id: string, terms: ArenaTerms, entry: Entry<ArenaEvent>): string {
  const { version, at } = entry;
  const changes = arenaChanges(id, terms, entry);
  return JSON.stringify({ type: "change", version, arena: id, at: iso(at), changes }).slice(0, -1);
}

/**
 * The state as text, for one viewer after the other. What all see alike is written once: with many watching, writing it
 * for each would cost more than deciding the move.
 */
function stateTexts(room: ArenaRoom): (viewer: Viewer) => { text: string; ticket: number | null } {
  const shared = JSON.stringify(sharedView(room)).slice(0, -1);
  const match = matchOnly(room);
  const matchText = match && JSON.stringify(match).slice(0, -1);
  const forAnyone = JSON.stringify(sightIn(room, undefined) ?? null);
  const sightFor = (viewer: Viewer) =>
    room.seats.some((player) => player?.person === viewer)
      ? JSON.stringify(sightIn(room, viewer) ?? null)
      : forAnyone;
  const everyone = `${shared},"match":${matchText ? `${matchText},"sight":` : "null"}`;
  return (viewer) => {
    const you = viewer === undefined ? null : yourView(room, viewer);
    const table = matchText ? `${sightFor(viewer)}}` : "";
    return { text: `${everyone}${table},"you":${JSON.stringify(you)}}`, ticket: you?.ticket ?? null };
  };
}
