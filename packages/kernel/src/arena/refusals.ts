import type { Refusal } from "../refusals.ts";

export const arenaNotFound: Refusal = { code: "room.not-found", message: "There is no such arena." };
export const arenaEnded: Refusal = { code: "room.ended", message: "This arena has ended." };
export const arenaExists: Refusal = {
  code: "room.exists",
  message: "An arena with this id already exists. Choose another id.",
};
