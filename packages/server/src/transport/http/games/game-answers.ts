import type { CanJoin, GameOnly, Joined, OwnPlace } from "@openseat/protocol";
import type { Result } from "../../../app/result.ts";
import { type Answer, answerOf } from "../envelope.ts";
import { ahead } from "../messages.ts";

/** The responses of games, the same over HTTP and WebSocket. The design documents fix some of these texts. */
export const gameAnswers = {
  joined: (result: Result<Joined>): Answer => answerOf(result, 200, joinedText),
  left: (result: Result<GameOnly>): Answer => answerOf(result, 200, "Successfully left the game"),
  heartbeat: (result: Result<OwnPlace>): Answer => answerOf(result, 200, "You are in this game."),
  canJoin: (result: Result<CanJoin>): Answer => answerOf(result, 200, "Join eligibility checked"),
} as const;

function joinedText({ game, participant }: Joined): string {
  if (participant.status === "ACTIVE") return "Successfully joined the game";
  const { currentPlayers, maxPlayers, yourPosition } = game;
  return `The game is full (${currentPlayers} of ${maxPlayers}). You are in line: ${ahead(yourPosition - 1)}.`;
}
