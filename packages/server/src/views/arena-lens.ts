import { type ArenaEvent, type ArenaRoom, type ArenaTerms, sightIn } from "@openseat/kernel";
import type { FeedMessage, Lens, Viewer } from "../feed/watch.ts";
import type { Entry } from "../log/entry.ts";
import { arenaChanges } from "./arena-changes.ts";
import { arenaView, matchOnly, sharedView, yourView } from "./arena-views.ts";
import { iso } from "./times.ts";

type Look = <T>(look: (room: ArenaRoom | undefined, version: number) => T) => Promise<T | undefined>;

/** How the feed shows an arena, to each viewer their own. */
export function arenaLens(id: string, terms: ArenaTerms, look: Look): Lens {
  return {
    view: (viewer) => look((room, version) => (room ? viewMessage(id, room, version, viewer) : undefined)),
    change: (entry) => changeMessage(id, terms, entry as Entry<ArenaEvent>),
    live(entries, state) {
      const told = entries as readonly Entry<ArenaEvent>[];
      const earlier = told.slice(0, -1).map((entry) => changeMessage(id, terms, entry));
      const last = told[told.length - 1];
      const head = `${changeText(id, terms, last)},"state":`;
      return forViewers(state as ArenaRoom, told.every(isPlay), (text, ticket) => [
        ...earlier,
        { type: "change", version: last.version, json: `${head}${text}}`, ticket },
      ]);
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

/** Whether nothing but the match went on: then nobody has moved on a seat or in the line. */
function isPlay({ events }: Entry<ArenaEvent>): boolean {
  return events.every(({ type }) => type === "moved" || type === "clock-restarted");
}

/**
 * The state as text, for one viewer after the other; of what only went on in the match, that alone. What all see alike is
 * made once, and what nobody has a part of their own in is one message for all: with many watching, making it for
 * each would cost more than deciding the move.
 */
function forViewers(
  room: ArenaRoom,
  isOnlyPlay: boolean,
  message: (text: string, ticket: number | null | undefined) => readonly FeedMessage[],
): (viewer: Viewer) => readonly FeedMessage[] {
  const shared = isOnlyPlay ? "{" : `${JSON.stringify(sharedView(room)).slice(0, -1)},`;
  const match = matchOnly(room);
  const start = `${shared}"match":${match ? `${JSON.stringify(match).slice(0, -1)},"sight":` : "null"}`;
  const toSight = (viewer: Viewer) =>
    match ? `${start}${JSON.stringify(sightIn(room, viewer) ?? null)}}` : start;
  const toPublicSight = toSight(undefined);
  const forAnyone = isOnlyPlay
    ? message(`${toPublicSight}}`, undefined)
    : message(`${toPublicSight},"you":null}`, null);
  return (viewer) => {
    if (viewer === undefined) return forAnyone;
    const isPlayer = room.seats.some((player) => player?.person === viewer);
    if (isOnlyPlay && !isPlayer) return forAnyone;
    const you = yourView(room, viewer);
    const text = `${isPlayer ? toSight(viewer) : toPublicSight},"you":${JSON.stringify(you)}}`;
    return message(text, you?.ticket ?? null);
  };
}
