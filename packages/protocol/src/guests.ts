import Type from "typebox";
import { formerName } from "./common.ts";

const name = Type.String({
  maxLength: 40,
  pattern: "^(?=.*\\S)[^\\p{Cc}]+$",
  description: "1 to 40 characters, not all of them spaces.",
});

const strict = { additionalProperties: false } as const;

export const NewGuest = Type.Object({ name: Type.Optional(name) }, strict);

/** What a guest may change about themselves. */
export const GuestChanges = Type.Object({ name }, strict);
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
