import Type from "typebox";
import { Id, orNull, strictObject, Time } from "./common.ts";
import { NicknameGiven } from "./people.ts";

export const Hand = Type.Enum(["rock", "paper", "scissors"]);
export type Hand = Type.Static<typeof Hand>;

const ladder = Type.Optional(
  Type.String({
    ...Id,
    description: "The ladder that the duel should count on. It counts if both players name the same one.",
  }),
);

export const NewDuel = strictObject({
  opponent: Type.String({ ...NicknameGiven, description: "The opponent's nickname." }),
  throw: Type.Optional(Hand),
  ladder,
});
export type NewDuel = Type.Static<typeof NewDuel>;

export const NewThrow = strictObject({ throw: Hand, ladder });
export type NewThrow = Type.Static<typeof NewThrow>;

const handOrNull = orNull(Hand);

/** A duel as one of its players sees it (MT3). */
export const Duel = Type.Object({
  id: Type.String(),
  status: Type.Union([Type.Literal("OPEN"), Type.Literal("FINISHED"), Type.Literal("DROPPED")]),
  opponent: Type.String({ description: "Their nickname." }),
  yourThrow: handOrNull,
  hasOpponentThrown: Type.Boolean(),
  opponentThrow: orNull(Hand, { description: "Null until both have thrown." }),
  result: Type.Union([Type.Literal("won"), Type.Literal("lost"), Type.Literal("draw"), Type.Null()]),
  ladder: orNull(Type.String(), { description: "The ladder that the duel counts on." }),
  offeredLadder: orNull(Type.String(), {
    description: "The ladder that the opponent wants it to count on.",
  }),
  reason: Type.Union(
    [
      Type.Literal("withdrawn"),
      Type.Literal("declined"),
      Type.Literal("gone"),
      Type.Literal("lapsed"),
      Type.Literal("crowded"),
      Type.Null(),
    ],
    { description: "Why it was dropped." },
  ),
  at: orNull(Time, { description: "When it was opened or ended." }),
});
export type Duel = Type.Static<typeof Duel>;

export const DuelOnly = Type.Object({ duel: Duel });
export type DuelOnly = Type.Static<typeof DuelOnly>;
export const DuelList = Type.Object({
  open: Type.Array(Duel, { description: "Newest first." }),
  finished: Type.Array(Duel, { description: "The latest 20, newest first." }),
});
export type DuelList = Type.Static<typeof DuelList>;
