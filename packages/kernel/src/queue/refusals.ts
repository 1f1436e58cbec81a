import type { Refusal } from "../refusals.ts";

export const queueNotFound: Refusal = { code: "room.not-found", message: "There is no such waiting room." };
export const codeUsed: Refusal = {
  code: "code.used",
  message: "This code was already used. Get a new one on the device that has the place.",
};
export const queueEnded: Refusal = { code: "room.ended", message: "This waiting room has ended." };
export const placeNotFound: Refusal = {
  code: "place.not-found",
  message: "There is no such place, or it is not yours.",
};
