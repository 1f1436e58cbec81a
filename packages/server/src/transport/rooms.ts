import { createHmac, randomBytes } from "node:crypto";
import { asWord, type Listing } from "@openseat/kernel";
import type { Streams } from "../host/streams.ts";
import type { Identity } from "./auth/identity.ts";
import type { ChosenIds } from "./chosen-ids.ts";
import type { RoomQuota } from "./limits/room-quota.ts";

/** What it takes to make a room of any kind. */
export interface RoomCreation {
  /** New ids follow from it and from the key of the request. */
  readonly idSecret: string;
  readonly ids: ChosenIds;
  readonly quota: RoomQuota;
}

/**
 * The id of a new room. A repeated key must find the room it made: it is the id that remembers it. The secret signs
 * tokens too, so what is signed here begins with words that no token has.
 */
export function newRoomId(
  kind: "game" | "queue" | "arena" | "ladder",
  { by }: Identity,
  key: string | undefined,
  secret: string,
): string {
  const bytes =
    key === undefined
      ? randomBytes(15)
      : createHmac("sha256", secret)
          .update(`id of a ${kind}: ${asWord(by)} ${key}`)
          .digest();
  return bytes.subarray(0, 15).toString("base64url");
}

/** When it cannot be read now, it is not known to be there. */
export async function hasRoom(
  streams: Pick<Streams<unknown, never, unknown>, "read">,
  id: string,
): Promise<boolean> {
  const found = await streams.read(id, (room) => room !== undefined);
  return "value" in found && found.value;
}

export interface RoomQuery {
  readonly status?: string | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** A page of the list of rooms, the newest first, each as `show` has it. */
export async function listRooms<Shown>(
  streams: Pick<Streams<unknown, never, unknown>, "list">,
  { status, before, limit }: RoomQuery,
  show: (id: string, listing: Listing) => Shown,
): Promise<{ readonly rooms: Shown[]; readonly nextCursor: string | null }> {
  const found = await streams.list({
    limit: limit + 1,
    ...(status !== undefined && { status }),
    ...(before !== undefined && { before }),
  });
  const page = found.slice(0, limit);
  return {
    rooms: page.map((listed) => show(listed.stream.slice(listed.stream.indexOf("/") + 1), listed)),
    nextCursor: found.length > limit ? String(page[page.length - 1].number) : null,
  };
}
