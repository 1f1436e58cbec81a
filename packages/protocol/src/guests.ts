import Type from "typebox";
import { formerName, shortText, strictObject } from "./common.ts";

const name = shortText(40);

export const NewGuest = strictObject({ name: Type.Optional(name) });

/** What guests can change about themselves. */
export const GuestChanges = strictObject({ name });
export type GuestChanges = Type.Static<typeof GuestChanges>;

export const Guest = Type.Object({
  token: Type.String({ description: "The bearer token of this guest. Keep it: it is the only proof." }),
  person: Type.Object({
    userId: Type.String({ description: "How others see this guest." }),
    id: formerName(Type.String(), "userId"),
    name: Type.String({ description: "As given, or a friendly one that goes with the id." }),
  }),
});
export type Guest = Type.Static<typeof Guest>;
