import Type, { type TProperties } from "typebox";
import { NewMove, Resignation } from "./arena-matches.ts";
import { Me } from "./chat.ts";
import { Id, IdempotencyKey, strictObject } from "./common.ts";
import { PlaceId } from "./queues.ts";

const id = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "Your own number for this message. The answer carries it.",
});
const token = Type.Optional(
  Type.String({ maxLength: 8192, description: "Acts as this person, only for this message." }),
);
const after = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "The last version that you have seen.",
});
const key = Type.Optional(IdempotencyKey);
/** The room: exactly one of these fields. */
const room = { game: Type.Optional(Id), arena: Type.Optional(Id) };
const watched = {
  ...room,
  ladder: Type.Optional(Id),
  queue: Type.Optional(Id),
  conversation: Type.Optional(Me),
};
/** A message that a client may send. The live protocol is documented from these schemas. */
function message<const Name extends string, Fields extends TProperties>(
  type: Name,
  description: string,
  fields: Fields,
) {
  return strictObject({ id, type: Type.Literal(type), ...fields }, { description });
}

/** Messages that a client may send on the WebSocket at /api/v1/live, by type. */
export const clientMessages = {
  auth: message(
    "auth",
    "Authenticates you for all later messages. Browsers need it because they cannot send a header when they open a WebSocket.",
    { token: Type.String({ maxLength: 8192, description: "Your token from now on." }) },
  ),
  join: message(
    "join",
    "Joins a game or an arena, or its line, as over HTTP. Send exactly one of `game` and `arena`.",
    { ...room, key, token },
  ),
  leave: message("leave", "Leaves a game or an arena, or its line.", { ...room, key, token }),
  move: message("move", "Makes a move in the current match, as over HTTP.", {
    arena: Id,
    ...NewMove.properties,
    key,
    token,
  }),
  resign: message("resign", "Resigns from the current match, as over HTTP.", {
    arena: Id,
    ...Resignation.properties,
    key,
    token,
  }),
  "can-join": message("can-join", "Asks whether you could join, and why not.", { game: Id, token }),
  watch: message(
    "watch",
    "Follows a game, an arena, a ladder, a waiting room (`queue`, for services and operators) or your `conversation` (which needs your token). Send exactly one of them. With `after`, you get every change after that version; without it, first a view of the whole. Watching an arena, or a game with `heartbeatTimeoutSeconds`, keeps your place for as long as the connection is open.",
    { ...watched, after: Type.Optional(after) },
  ),
  unwatch: message("unwatch", "Stops following.", watched),
  enter: message("enter", "Enters the line of a waiting room, or finds your place in it, as over HTTP.", {
    queue: Id,
    key,
    token,
  }),
  heartbeat: message(
    "heartbeat",
    "Sends a heartbeat and returns your exact position in a line (`position`) or your place in a game (`game`). Send exactly one of them.",
    { position: Type.Optional(PlaceId), game: Type.Optional(Id), token },
  ),
  attend: message(
    "attend",
    "Follows your place in a line, and keeps it for as long as the connection is open. You get the pulse of the line, at most four times per second, and your position whenever it changes.",
    { position: PlaceId, token },
  ),
  unattend: message("unattend", "Stops following a place. It lasts as long as its lease.", {
    position: PlaceId,
    token,
  }),
  ping: message("ping", "Asks whether the server is there.", {}),
} as const;

export type ClientMessage = Type.Static<(typeof clientMessages)[keyof typeof clientMessages]>;
