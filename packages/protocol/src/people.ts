import Type from "typebox";
import { orNull, strictObject } from "./common.ts";

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
