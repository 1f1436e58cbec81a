import type { ArenaJoined, ArenaLeft, MoveMade } from "@openseat/protocol";
import type { Result } from "../../../app/result.ts";
import { type Answer, answerOf } from "../envelope.ts";
import { ahead } from "../messages.ts";

/** The responses of arenas, the same over HTTP and WebSocket. */
export const arenaAnswers = {
  joined: (result: Result<ArenaJoined>): Answer => answerOf(result, 200, joinedText),
  left: (result: Result<ArenaLeft>): Answer => answerOf(result, 200, "You have left the arena."),
  moved: (result: Result<MoveMade>): Answer => answerOf(result, 200, "Your move was made."),
  resigned: (result: Result<MoveMade>): Answer => answerOf(result, 200, "You have resigned."),
} as const;

function joinedText({ place: { label, position } }: ArenaJoined): string {
  return label !== null ? `You have seat ${label}.` : `You are in line: ${ahead(position! - 1)}.`;
}
