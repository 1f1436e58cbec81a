import type { Refusal } from "../refusals.ts";

/** Said wherever it applies, in the same words. */
export const roomNotFound: Refusal = { code: "room.not-found", message: "There is no such game." };
export const roomEnded: Refusal = { code: "room.ended", message: "This game has ended." };
