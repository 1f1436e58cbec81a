import { type ArenaEvent, type ArenaRoom, type ArenaTerms, sightIn } from "@openseat/kernel";
import type { FeedMessage, Lens, Viewer } from "../feed/watch.ts";
import type { Entry } from "../log/entry.ts";
import { arenaChanges } from "./arena-changes.ts";
import { arenaView, matchOnly, sharedView, yourView } from "./arena-views.ts";
import type { ReadNow } from "./shared-lens.ts";
import { iso } from "./times.ts";

/** How the feed shows an arena: a separate view for each viewer. */
export function arenaLens(id: string, terms: ArenaTerms, read: ReadNow<ArenaRoom>): Lens {
  /** Without the last brace. */
  const changeText = (entry: Entry<ArenaEvent>): string => {
    const changes = arenaChanges(id, terms, entry);
    const { version, at } = entry;
    return JSON.stringify({ type: "change", version, arena: id, at: iso(at), changes }).slice(0, -1);
  };
  const change = (entry: Entry): FeedMessage => ({
    type: "change",
    version: entry.version,
    json: `${changeText(entry as Entry<ArenaEvent>)}}`,
  });
  return {
    view: (viewer) => read((room, version) => (room ? viewMessage(id, room, version, viewer) : undefined)),
    change,
    live(entries, state) {
      const typed = entries as readonly Entry<ArenaEvent>[];
      const earlier = typed.slice(0, -1).map(change);
      const last = typed[typed.length - 1];
      const head = `${changeText(last)},"state":`;
      return forViewers(state as ArenaRoom, typed.every(isPlay), (text, ticket) => [
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

/** Whether only the match has changed, and not the seats and the line. */
function isPlay({ events }: Entry<ArenaEvent>): boolean {
  return events.every(({ type }) => type === "moved" || type === "clock-restarted");
}

/**
 * The state as text for each viewer; only the match if nothing else changed. The shared part is serialized once: serializing it
 * for each of many watchers would cost more than deciding the move.
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
