import type { Refusal } from "../refusals.ts";

/** Said wherever it applies, in the same words. */
export const arenaNotFound: Refusal = { code: "room.not-found", message: "There is no such arena." };
export const arenaEnded: Refusal = { code: "room.ended", message: "This arena has ended." };
export const arenaExists: Refusal = {
  code: "room.exists",
  message: "There is an arena with this id already.",
};
