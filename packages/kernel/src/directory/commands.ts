import type { DuelNumber } from "../duel/duel.ts";
import type { Hand } from "../match/games/rock-paper-scissors.ts";
import type { Refusal } from "../refusals.ts";
import type { PersonId } from "../values.ts";
import type { ConversationNumber } from "./state.ts";

/** Who speaks: the subject of a token, or whoever has this address on the channel. */
type Speaker = { readonly person: PersonId } | { readonly sender: string };

/** A ladder that a message is about. */
export interface LadderMeant {
  readonly id: string;
  /** Whether duels may count on it. */
  readonly takesDuels: boolean;
  /** Whether this person is a player of it, or may become one by themselves. */
  readonly admits: boolean;
}

/** CH1, CH2: a message. Its key is the channel's id of it, so it is heard once; it is never refused. */
export type Hear = {
  readonly type: "hear";
  readonly channel: string;
  readonly speaker: Speaker;
  /** Where it was said; undefined for those who have a token, who have one place of their own. */
  readonly place?: string;
  /** Of a group, its title. */
  readonly title?: string;
  readonly text: string;
  /** The ladder that it is about; undefined when it is about none, or there is none of that name. */
  readonly ladder?: LadderMeant;
  /** CH8: by this text, carriers stop or resume what is sent to the place. */
  readonly consent?: "stop" | "start";
  /** CH7: it could not be dealt with, and is not looked at; it is recorded, and answered so. */
  readonly isBroken?: true;
  /** The network that it came from, as a hash; undefined on channels. */
  readonly network?: string;
  /** Whether the reply is sent: elsewhere it is given back to whoever brought the message. */
  readonly isSent: boolean;
};

/** A conversation has another address now. */
export type Move = {
  readonly type: "move";
  readonly channel: string;
  readonly from: string;
  readonly to: string;
};
/** An operator says which ladder a group has. */
export type Link = {
  readonly type: "link";
  readonly conversation: ConversationNumber;
  readonly ladder: string;
};
/** NM1–NM3. */
export type TakeName = {
  readonly type: "take-name";
  readonly person: PersonId;
  readonly nickname: string;
  readonly network?: string;
};
type Quit = { readonly type: "quit"; readonly person: PersonId };

/** CH4: opens a duel, or throws in the one that there is between the two. */
export type Challenge = {
  readonly type: "challenge";
  readonly person: PersonId;
  readonly opponent: string;
  readonly hand: Hand | null;
  readonly ladder: string | null;
  readonly network?: string;
  readonly obstacle?: Refusal | undefined;
};
export type ThrowIn = {
  readonly type: "throw";
  readonly person: PersonId;
  readonly duel: DuelNumber;
  readonly hand: Hand;
  readonly ladder: string | null;
  /** Why it cannot count there, which only others could find out. A request that is asked again is answered all the same. */
  readonly obstacle?: Refusal | undefined;
};
export type Drop = { readonly type: "drop"; readonly person: PersonId; readonly duel: DuelNumber };
/** From the outbox of another stream, in its order: people are to be told something. */
export type Pass = {
  readonly type: "pass";
  readonly from: string;
  readonly notices: readonly {
    readonly version: number;
    readonly tell: PersonId;
    readonly text: string;
    readonly by?: PersonId;
  }[];
};
/** CH1: looks under its key for what was recorded before; where nothing was, nothing comes of it. */
type Recall = { readonly type: "recall" };
type Tick = { readonly type: "tick" };

export type DirectoryCommand =
  | Hear
  | Move
  | Link
  | TakeName
  | Quit
  | Challenge
  | ThrowIn
  | Drop
  | Pass
  | Recall
  | Tick;
