import Type from "typebox";
import { NextCursor, orNull, page, strictObject, Time } from "./common.ts";

/** Each delivery has a number; one that is sent again gets a new number. */
export const DeliveryNumber = Type.String({
  pattern: "^[1-9][0-9]{0,14}$",
  description: "The number of the dead letter.",
});

export const DeadLetter = Type.Object({
  number: DeliveryNumber,
  to: Type.String({ description: "The recipient: kind and id, such as `telegram/7`." }),
  from: Type.String({ description: "The sender: kind and id, such as `ladder/club`." }),
  text: orNull(Type.String(), {
    description: "Its text; null for data that is not a message to a person, such as the result of a match.",
  }),
  reason: Type.String({ description: "Why it could not be delivered." }),
  setAsideAt: orNull(Time, {
    description: "Null for one set aside by an early version, which did not store the time.",
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
    description: "The channel of the recipient, such as `telegram`.",
  }),
});
export const ResentAll = Type.Object({ resent: Type.Integer({ description: "How many were sent again." }) });
export type ResentAll = Type.Static<typeof ResentAll>;
export const Resent = Type.Object({ number: DeliveryNumber });
export type Resent = Type.Static<typeof Resent>;
