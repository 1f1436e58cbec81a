import { createHmac, randomBytes } from "node:crypto";
import { asWord, type Listing, type Millis, type Refusal } from "@openseat/kernel";
import type { Lens } from "../../feed/watch.ts";
import type { Ask } from "../../host/stream/asks.ts";
import type { StateReader, Streams } from "../../host/streams.ts";
import type { Listed } from "../../log/log.ts";
import type { ReadNow } from "../../views/shared-lens.ts";
import type { Identity } from "../identity.ts";
import {
  type AsyncResult,
  answered,
  type Decided,
  flattened,
  type Refused,
  type Result,
  refused,
  type SoonResult,
} from "../result.ts";
import type { RoomQuota } from "./room-quota.ts";

export interface RoomCreation {
  /** New ids are derived from it and from the key of the request. */
  readonly idSecret: string;
  /** Whether the server uses this id for a room of its own. */
  readonly isReserved: (kind: "arena" | "ladder", id: string) => boolean;
  readonly quota: RoomQuota;
}

/** AU6: why a new room may not have this id. A person who chose the id of the default ladder would own it. */
export function idObstacle(
  kind: "arena" | "ladder",
  { role }: Identity,
  id: string | undefined,
  { isReserved }: RoomCreation,
): Refusal | undefined {
  const data = { in: "body", field: "id" };
  if (id === undefined || role === "operator") return undefined;
  if (role === "person")
    return {
      code: "auth.forbidden",
      message: "You cannot choose an id. Omit it, and the server assigns one.",
      data,
    };
  if (!isReserved(kind, id)) return undefined;
  return { code: "auth.forbidden", message: "This id is reserved. Choose another one.", data };
}

/**
 * The id of a new room, derived from the key so that a repeated request finds the room. The secret also signs tokens, so the text
 * starts with words that no token contains.
 */
export function newRoomId(
  kind: "game" | "queue" | "arena" | "ladder",
  { by }: Identity,
  key: string | undefined,
  secret: string,
): string {
  if (key === undefined) return randomBytes(15).toString("base64url");
  const digest = createHmac("sha256", secret)
    .update(`id of a ${kind}: ${asWord(by)} ${key}`)
    .digest();
  return digest.subarray(0, 15).toString("base64url");
}

/** Sends a command to a room and shows its result. */
export async function asked<Room, Command, Event, Value>(
  streams: Pick<Streams<Room, Command, Event>, "ask">,
  id: string,
  ask: Ask<Command>,
  show: (decided: Decided<Room, Event>, id: string) => Value,
): AsyncResult<Value> {
  return answered(await streams.ask(id, ask), (decided) => show(decided, id));
}

type Readable<Room> = Pick<Streams<Room, never, unknown>, "read">;

/** Reads a room; `missing` is the refusal if it does not exist. */
export async function readRoom<Room, Value>(
  streams: Readable<Room>,
  id: string,
  missing: Refusal,
  select: (room: Room, version: number, now: Millis) => Result<Value>,
): AsyncResult<Value> {
  return flattened(
    await streams.read(id, (room, version, now) =>
      room === undefined ? refused(missing) : select(room, version, now),
    ),
  );
}

/** Reads a room, at once if it is in memory. */
export function readRoomSoon<Room, Value>(
  streams: Pick<Streams<Room, never, unknown>, "peek" | "read">,
  id: string,
  select: StateReader<Room, Result<Value>>,
): SoonResult<Value> {
  return streams.peek(id, select) ?? streams.read(id, select).then(flattened);
}

/** How the feed shows a room; a refusal if there is none. */
export async function lensOf<Room extends { readonly terms: object }>(
  streams: Readable<Room>,
  id: string,
  missing: Refusal,
  make: (terms: Room["terms"], read: ReadNow<Room>) => Lens,
): Promise<Lens | Refused> {
  const found = await readRoom(streams, id, missing, ({ terms }) => ({ value: terms }));
  if ("refusal" in found) return found;
  return make(found.value, async (select) => {
    const seen = await streams.read(id, select);
    return "refusal" in seen ? undefined : seen.value;
  });
}

/** Also false if the room cannot be read now. */
export async function hasRoom(streams: Readable<unknown>, id: string): Promise<boolean> {
  const found = await streams.read(id, (room) => room !== undefined);
  return "value" in found && found.value;
}

/** Converts the seconds of a request to milliseconds. */
export function ms<Seconds extends number | null | undefined>(seconds: Seconds): Seconds {
  return (typeof seconds === "number" ? seconds * 1000 : seconds) as Seconds;
}

export function onlyGiven<Settings extends object>(
  settings: {
    readonly [Name in keyof Settings]?: Settings[Name] | undefined;
  },
): Partial<Settings> {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<Settings>;
}

export interface RoomQuery {
  readonly status?: string | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Unlisted rooms are skipped: this many rooms per read, and this many reads per page. A page past that is short. */
const unlistedPageRooms = 200;
const unlistedPagesMax = 10;

/** A page of rooms, newest first, each mapped by `show`. RM8: includes ended rooms only if the request asks for them. */
export async function listRooms<Shown>(
  streams: Pick<Streams<unknown, never, unknown>, "list">,
  { status, before, limit }: RoomQuery,
  show: (id: string, listing: Listing) => Shown,
  isListed?: (id: string, listing: Listing) => boolean,
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
  const nextCursor = next === undefined ? null : String(next);
  return { rooms: page.map((listed) => show(idOf(listed), listed)), nextCursor };
}

function idOf({ stream }: Listed): string {
  return stream.slice(stream.indexOf("/") + 1);
}
