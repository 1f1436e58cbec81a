import type { Refusal } from "../refusals.ts";

/** The messages are those of the design document for joining and leaving, to the letter. */
export const gameNotFound: Refusal = { code: "room.not-found", message: "Game not found" };
/** Joining and leaving have messages of their own. */
export const gameEnded: Refusal = { code: "room.ended", message: "Game has ended" };
export const cannotJoinEnded: Refusal = { code: "room.ended", message: "Cannot join ended game" };
export const cannotLeaveEnded: Refusal = { code: "room.ended", message: "Cannot leave ended game" };
export const notAParticipant: Refusal = {
  code: "place.missing",
  message: "You are not a participant of this game",
};
export const alreadyJoined = "You have already joined this game";

const reasons = new Map([
  [cannotJoinEnded.message, gameEnded.message],
  [alreadyJoined, "Already joined this game"],
]);

/** GM5: an obstacle as a reason for a question, where the design document words it differently from the refusal. */
export function reasonAgainstJoining({ message }: Refusal): string {
  return reasons.get(message) ?? message;
}
