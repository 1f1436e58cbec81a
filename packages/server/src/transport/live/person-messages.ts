import type { ClientMessage } from "@openseat/protocol";
import type { Arenas } from "../../app/arenas/arenas.ts";
import type { Games } from "../../app/games/games.ts";
import type { Identity } from "../../app/identity.ts";
import { invalidInput } from "../../app/invalid-input.ts";
import type { Origin, Positions } from "../../app/queues/positions.ts";
import { refused } from "../../app/result.ts";
import { arenaAnswers } from "../http/arenas/arena-answers.ts";
import { gameAnswers } from "../http/games/game-answers.ts";
import { queueAnswers } from "../http/queues/queue-answers.ts";
import type { Reply } from "./messages.ts";
import { roomOf } from "./watch-room.ts";

export type PersonMessage = Extract<
  ClientMessage,
  { type: "join" | "leave" | "move" | "resign" | "can-join" | "enter" | "heartbeat" }
>;

export interface PersonUseCases {
  readonly games: Games;
  readonly arenas: Arenas;
  readonly waiting: { readonly positions: Positions };
}

export function act(
  useCases: PersonUseCases,
  identity: Identity,
  origin: Origin,
  message: PersonMessage,
): Reply | Promise<Reply> {
  const { games, arenas, waiting } = useCases;
  switch (message.type) {
    case "join":
    case "leave":
      return seat(useCases, identity, message);
    case "move":
      return arenas.move(identity, message.arena, message, message.key).then(arenaAnswers.moved);
    case "resign":
      return arenas.resign(identity, message.arena, message, message.key).then(arenaAnswers.resigned);
    case "can-join":
      return games.canJoin(identity, message.game).then(gameAnswers.canJoin);
    case "enter": {
      const { queue, key } = message;
      return queueAnswers.entered(
        waiting.positions.enter(identity, queue, { given: undefined, key, origin }),
      );
    }
    case "heartbeat":
      return heartbeat(useCases, identity, message);
  }
}

function seat(
  { games, arenas }: PersonUseCases,
  identity: Identity,
  message: Extract<ClientMessage, { type: "join" | "leave" }>,
): Reply | Promise<Reply> {
  const room = roomOf(message, ["game", "arena"]);
  if ("refusal" in room) return room;
  const { type, key } = message;
  if (room.kind === "game")
    return type === "join"
      ? games.join(identity, room.id, key).then(gameAnswers.joined)
      : games.leave(identity, room.id, key).then(gameAnswers.left);
  return type === "join"
    ? arenas.join(identity, room.id, key).then(arenaAnswers.joined)
    : arenas.leave(identity, room.id, key).then(arenaAnswers.left);
}

function heartbeat(
  { games, waiting }: PersonUseCases,
  identity: Identity,
  { position, game }: Extract<ClientMessage, { type: "heartbeat" }>,
): Reply | Promise<Reply> {
  if (position !== undefined && game === undefined)
    return queueAnswers.position(waiting.positions.heartbeat(identity, position));
  if (game !== undefined && position === undefined)
    return games.heartbeat(identity, game).then(gameAnswers.heartbeat);
  return refused(invalidInput("message", "position", "or game must be given, and only one of them"));
}
