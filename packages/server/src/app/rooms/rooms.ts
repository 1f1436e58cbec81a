import { createHmac, randomBytes } from "node:crypto";
import { asWord, type Listing, type Millis, type Refusal } from "@openseat/kernel";
import type { Streams } from "../../host/streams.ts";
import type { Identity } from "../identity.ts";
import { type Result, refused } from "../result.ts";
import type { ChosenIds } from "./chosen-ids.ts";
import type { RoomQuota } from "./room-quota.ts";

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

/** Looks at a room; `missing` is the refusal when there is none. */
export async function lookAt<Room, Value>(
  streams: Pick<Streams<Room, never, unknown>, "read">,
  id: string,
  missing: Refusal,
  look: (room: Room, version: number, now: Millis) => Result<Value>,
): Promise<Result<Value>> {
  const found = await streams.read(id, (room, version, now) =>
    room === undefined ? refused(missing) : look(room, version, now),
  );
  return "refusal" in found ? found : found.value;
}

/** Looks at a room for the feed; undefined when it cannot be read now. */
export function lookFor<Room>(
  streams: Pick<Streams<Room, never, unknown>, "read">,
  id: string,
): <T>(look: (room: Room | undefined, version: number) => T) => Promise<T | undefined> {
  return async (look) => {
    const found = await streams.read(id, look);
    return "refusal" in found ? undefined : found.value;
  };
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

type Listed = Awaited<ReturnType<Streams<unknown, never, unknown>["list"]>>[number];
type IsListed = (id: string, listing: Listing) => boolean;

/** Unlisted rooms are skipped: this many per read, and this many reads per page. Past that, the page is short. */
const unlistedPageRooms = 200;
const unlistedPagesMax = 10;

/** A page of the list of rooms, the newest first, each as `show` has it. RM8: those that ended only when they are asked for. */
export async function listRooms<Shown>(
  streams: Pick<Streams<unknown, never, unknown>, "list">,
  { status, before, limit }: RoomQuery,
  show: (id: string, listing: Listing) => Shown,
  isListed?: IsListed,
): Promise<{ readonly rooms: Shown[]; readonly nextCursor: string | null }> {
  const found: Listed[] = [];
  let [rooms, last] = [limit + 1, before];
  let isAll = false;
  for (let pages = 0; !isAll && found.length <= limit && pages < unlistedPagesMax; pages++) {
    const page = await streams.list({
      limit: rooms,
      ...(status === undefined ? { isLive: true } : { status }),
      ...(last !== undefined && { before: last }),
    });
    found.push(...(isListed ? page.filter((listed) => isListed(idOf(listed), listed)) : page));
    isAll = page.length < rooms;
    last = page.at(-1)?.number;
    rooms = unlistedPageRooms;
  }
  const page = found.slice(0, limit);
  const next = found.length > limit ? page[limit - 1].number : isAll ? undefined : last;
  return {
    rooms: page.map((listed) => show(idOf(listed), listed)),
    nextCursor: next === undefined ? null : String(next),
  };
}

function idOf({ stream }: Listed): string {
  return stream.slice(stream.indexOf("/") + 1);
}
