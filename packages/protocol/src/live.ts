import Type from "typebox";
import { NewMove, Resignation } from "./arena-matches.ts";
import { Me } from "./chat.ts";
import { Id, IdempotencyKey, strictObject } from "./common.ts";
import { PlaceId } from "./queues.ts";

/** The client's own number for a message; the answer carries it. */
const id = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const token = Type.Optional(
  Type.String({ maxLength: 8192, description: "Acts as this person, for this message alone." }),
);
const after = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "The last version seen.",
});
const key = Type.Optional(IdempotencyKey);
/** Which room: exactly one of them. */
const room = { game: Type.Optional(Id), arena: Type.Optional(Id) };
const watched = {
  ...room,
  ladder: Type.Optional(Id),
  queue: Type.Optional(Id),
  conversation: Type.Optional(Me),
};

/** What a client may say on the WebSocket at /api/v1/live, by type. */
export const clientMessages = {
  auth: strictObject({
    id,
    type: Type.Literal("auth"),
    token: Type.String({ maxLength: 8192, description: "Who you are from now on." }),
  }),
  join: strictObject({ id, type: Type.Literal("join"), ...room, key, token }),
  leave: strictObject({ id, type: Type.Literal("leave"), ...room, key, token }),
  move: strictObject({ id, type: Type.Literal("move"), arena: Id, ...NewMove.properties, key, token }),
  resign: strictObject({
    id,
    type: Type.Literal("resign"),
    arena: Id,
    ...Resignation.properties,
    key,
    token,
  }),
  "can-join": strictObject({ id, type: Type.Literal("can-join"), game: Id, token }),
  watch: strictObject({ id, type: Type.Literal("watch"), ...watched, after: Type.Optional(after) }),
  unwatch: strictObject({ id, type: Type.Literal("unwatch"), ...watched }),
  enter: strictObject({ id, type: Type.Literal("enter"), queue: Id, key, token }),
  heartbeat: strictObject({
    id,
    type: Type.Literal("heartbeat"),
    position: Type.Optional(PlaceId),
    game: Type.Optional(Id),
    token,
  }),
  attend: strictObject({ id, type: Type.Literal("attend"), position: PlaceId, token }),
  unattend: strictObject({ id, type: Type.Literal("unattend"), position: PlaceId, token }),
  ping: strictObject({ id, type: Type.Literal("ping") }),
} as const;

export type ClientMessage = Type.Static<(typeof clientMessages)[keyof typeof clientMessages]>;

/** What a change in a game means to those who watch it, in order (GM9). */
export interface GameChange {
  readonly type: "player-joined" | "player-left" | "player-waiting" | "status-changed";
  readonly currentPlayers: number;
  readonly maxPlayers: number;
  readonly availableSlots: number;
  readonly waiting: number;
  readonly status?: string;
  readonly player?: { readonly participantId: string; readonly userId: string; readonly name: string };
  /** Of `player-left`: by their own doing (`left` from a seat, `cancelled` from the line), or not. */
  readonly reason?: "left" | "cancelled" | "removed" | "heartbeat_timeout";
}
