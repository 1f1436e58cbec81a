import Type from "typebox";
import { NextCursor, orNull, page, strictObject, Time } from "./common.ts";

/** Each delivery has a number; one that is sent again gets a new number. */
export const DeliveryNumber = Type.String({
  pattern: "^[1-9][0-9]{0,14}$",
  description: "The number of what was set aside.",
});

export const DeadLetter = Type.Object({
  number: DeliveryNumber,
  to: Type.String({ description: "Where it was for: the kind and the id, as `telegram/7`." }),
  from: Type.String({ description: "What it came from: the kind and the id, as `ladder/club`." }),
  text: orNull(Type.String(), {
    description: "What it says; null for what is not for people to read, as the result of a match.",
  }),
  reason: Type.String({ description: "Why it could not be delivered." }),
  setAsideAt: orNull(Time, {
    description: "Null when it was set aside by an early version, which kept no note of it.",
  }),
});
export type DeadLetter = Type.Static<typeof DeadLetter>;

export const DeadLetterList = Type.Object({ deadLetters: Type.Array(DeadLetter), nextCursor: NextCursor });
export type DeadLetterList = Type.Static<typeof DeadLetterList>;
export const DeadLetterQuery = strictObject({ ...page });
export const Discarded = Type.Object({ number: DeliveryNumber });
export type Discarded = Type.Static<typeof Discarded>;
export const ResendAll = strictObject({
  to: Type.String({
    pattern: "^[a-z0-9-]{1,32}$",
    description: "The channel that it was for, as `telegram`.",
  }),
});
export const ResentAll = Type.Object({ resent: Type.Integer({ description: "How many." }) });
export type ResentAll = Type.Static<typeof ResentAll>;
export const Resent = Type.Object({ number: DeliveryNumber });
export type Resent = Type.Static<typeof Resent>;
