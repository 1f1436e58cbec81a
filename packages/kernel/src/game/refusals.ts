import type { Refusal } from "../refusals.ts";

/** Said wherever it applies, in the same words. */
export const gameNotFound: Refusal = { code: "room.not-found", message: "There is no such game." };
export const gameEnded: Refusal = { code: "room.ended", message: "This game has ended." };
