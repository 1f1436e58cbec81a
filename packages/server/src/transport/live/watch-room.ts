import type { Refusal } from "@openseat/kernel";
import type { Hub } from "../../feed/hub.ts";
import type { Lens, Subscriber, Viewer } from "../../feed/watch.ts";
import type { Arenas } from "../arenas/arenas.ts";
import { invalidInput } from "../validation.ts";

/** A room that can be watched: which, and of what kind. */
export interface Room {
  readonly kind: "game" | "arena";
  readonly id: string;
}

/** The room that a message is about. */
export function roomOf({
  game,
  arena,
}: {
  readonly game?: string;
  readonly arena?: string;
}): Room | { readonly refusal: Refusal } {
  if (game !== undefined && arena === undefined) return { kind: "game", id: game };
  if (arena !== undefined && game === undefined) return { kind: "arena", id: arena };
  return { refusal: invalidInput("message", "game", "or arena must be given, and not both") };
}

/** Follows a room, and keeps alive the place that the viewer has in it: to watch is a sign of life (LS1). */
export function watchRoom(
  { arenas, hub }: { readonly arenas: Pick<Arenas, "hold">; readonly hub: Hub },
  { kind, id }: Room,
  lens: Lens,
  subscriber: Subscriber,
  from: { readonly after: number | undefined; readonly viewer: Viewer },
): { close(): void } {
  if (kind === "game") return hub.watch(`game/${id}`, lens, subscriber, from);
  let held: { readonly ticket: number; readonly hold: { release(): void } } | undefined;
  const keep = (ticket: number | null) => {
    if (held?.ticket === ticket) return;
    held?.hold.release();
    held = ticket === null ? undefined : { ticket, hold: arenas.hold(id, ticket) };
  };
  const watch = hub.watch(`arena/${id}`, lens, subscriber, { ...from, onPlace: keep });
  return {
    close() {
      watch.close();
      keep(null);
    },
  };
}
