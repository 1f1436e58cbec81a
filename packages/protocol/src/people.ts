import Type from "typebox";
import { formerName, orNull, shortText, strictObject } from "./common.ts";

/** Accepts any text, so that an invalid nickname is refused with the rules for nicknames. */
export const NicknameGiven = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "2 to 20 letters, digits, `_` or `-`.",
});

export const NewNickname = strictObject({ nickname: NicknameGiven });
export type NewNickname = Type.Static<typeof NewNickname>;

export const Person = Type.Object({
  userId: Type.String(),
  nickname: orNull(Type.String(), { description: "As typed; null if the person has none yet." }),
});
export type Person = Type.Static<typeof Person>;

export const PersonOnly = Type.Object({ person: Person });
export type PersonOnly = Type.Static<typeof PersonOnly>;

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
