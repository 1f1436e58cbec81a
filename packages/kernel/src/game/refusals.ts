import type { Refusal } from "../refusals.ts";

/** Messages for joining and leaving. The design document fixes their exact text. */
export const gameNotFound: Refusal = { code: "room.not-found", message: "Game not found" };
/** For requests other than joining and leaving. */
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

/** GM5: the refusal's text as a reason in `can-join`, where the design document words it differently. */
export function reasonAgainstJoining({ message }: Refusal): string {
  return reasons.get(message) ?? message;
}
