import Type from "typebox";
import { formerName, shortText, strictObject } from "./common.ts";

const name = shortText(40);

export const NewGuest = strictObject({ name: Type.Optional(name) });

/** What guests can change about themselves. */
export const GuestChanges = strictObject({ name });
export type GuestChanges = Type.Static<typeof GuestChanges>;

export const Guest = Type.Object({
  token: Type.String({
    description: "The bearer token of this guest. Keep it: it is the only proof of who this guest is.",
  }),
  person: Type.Object({
    userId: Type.String({ description: "The guest's id, which others see." }),
    id: formerName(Type.String(), "userId"),
    name: Type.String({ description: "The given name, or a friendly one derived from the id." }),
  }),
});
export type Guest = Type.Static<typeof Guest>;
