import type { Refusal } from "@openseat/kernel";
import type { Arenas } from "../../app/arenas/arenas.ts";
import { invalidInput } from "../../app/invalid-input.ts";
import type { Hub } from "../../feed/hub.ts";
import type { Lens, Subscriber, Viewer } from "../../feed/watch.ts";
import type { Access } from "../auth/access.ts";
import { missingToken } from "../auth/proof.ts";

export interface Room {
  readonly kind: (typeof watchedKinds)[number];
  readonly id: string;
}

export const watchedKinds = ["game", "arena", "ladder", "queue", "conversation"] as const;

/** AU2: who may watch. In a queue, people see only their own place and the pulse of the line (AU3). */
export const watchAccess: Readonly<Record<Room["kind"], Access>> = {
  game: "public",
  arena: "public",
  ladder: "public",
  queue: ["service", "operator"],
  conversation: ["person"],
};

/** AU3: people see only their own conversation. */
export function roomSeenBy(room: Room, viewer: Viewer): Room | { readonly refusal: Refusal } {
  if (room.kind !== "conversation") return room;
  return viewer === undefined ? { refusal: missingToken } : { kind: "conversation", id: viewer };
}

export function roomOf<Kind extends Room["kind"]>(
  message: { readonly [Name in Room["kind"]]?: string },
  kinds: readonly Kind[],
): (Room & { readonly kind: Kind }) | { readonly refusal: Refusal } {
  const [kind, ...more] = kinds.filter((name) => message[name] !== undefined);
  if (kind !== undefined && more.length === 0) return { kind, id: message[kind]! };
  const others = kinds.slice(1).join(" or ");
  return { refusal: invalidInput("message", kinds[0], `or ${others} must be given, and only one of them`) };
}

type Holder = Pick<Arenas, "hold">;

/** Follows a room and keeps the viewer's place in it alive: watching counts as a heartbeat (LS1). */
export function watchRoom(
  { games, arenas, hub }: { readonly games: Holder; readonly arenas: Holder; readonly hub: Hub },
  { kind, id }: Room,
  lens: Lens,
  subscriber: Subscriber,
  from: { readonly after: number | undefined; readonly viewer: Viewer },
): { close(): void } {
  const holder = kind === "arena" ? arenas : kind === "game" ? games : undefined;
  if (!holder) return hub.watch(`${kind}/${id}`, lens, subscriber, from);
  let held: { readonly ticket: number; readonly hold: { release(): void } } | undefined;
  const keep = (ticket: number | null) => {
    if (held?.ticket === ticket) return;
    held?.hold.release();
    held = ticket === null ? undefined : { ticket, hold: holder.hold(id, ticket) };
  };
  const watch = hub.watch(`${kind}/${id}`, lens, subscriber, { ...from, onPlace: keep });
  return {
    close() {
      watch.close();
      keep(null);
    },
  };
}
