import { feedMessage, type Lens } from "../feed/watch.ts";
import type { Entry } from "../log/entry.ts";

/** Reads a room as it is now; undefined if it cannot be read. */
export type ReadNow<Room> = <T>(
  select: (room: Room | undefined, version: number) => T,
) => Promise<T | undefined>;

type Shown = Readonly<Record<string, unknown>>;

/** Shows a room the same to everyone. */
export function sharedLens<Room, Event>(
  read: ReadNow<Room>,
  view: (room: Room) => Shown,
  change: (entry: Entry<Event>) => Shown,
): Lens {
  return {
    view: () => read((room, version) => (room ? feedMessage("view", version, view(room)) : undefined)),
    change: (entry) => feedMessage("change", entry.version, change(entry as Entry<Event>)),
  };
}
