import type { DuelNumber } from "../duel/duel.ts";
import type { Hand } from "../match/games/rock-paper-scissors.ts";
import type { Refusal } from "../refusals.ts";
import type { PersonId } from "../values.ts";
import type { ConversationNumber } from "./state.ts";

/** The sender: the subject of a token, or an address on a channel. */
type Speaker = { readonly person: PersonId } | { readonly sender: string };

/** The ladder that a message is about. */
export interface LadderMeant {
  readonly id: string;
  /** Whether duels may count on it. */
  readonly takesDuels: boolean;
  /** Whether this person is a player, or may join without an invitation. */
  readonly admits: boolean;
}

/** CH1, CH2: a message. Its key is the channel's message id, so it takes effect once. It is never refused. */
export type HandleMessage = {
  readonly type: "hear";
  readonly channel: string;
  readonly speaker: Speaker;
  /** The channel's conversation; undefined for people with a token, who have one conversation. */
  readonly place?: string;
  /** The title of a group. */
  readonly title?: string;
  readonly text: string;
  /** The ladder that it is about; undefined when it is about none, or the named one does not exist. */
  readonly ladder?: LadderMeant;
  /** CH8: with this text, carriers stop or resume messages to the address. */
  readonly consent?: "stop" | "start";
  /** CH7: the message could not be processed. It is recorded without being parsed, and the reply says so. */
  readonly isBroken?: true;
  /** A hash of the network that it came from; undefined on channels. */
  readonly network?: string;
  /** Whether the reply is sent through the channel. Otherwise the caller returns it. */
  readonly isSent: boolean;
};

/** A conversation has another address now. */
export type Move = {
  readonly type: "move";
  readonly channel: string;
  readonly from: string;
  readonly to: string;
};
/** An operator sets the ladder of a group. */
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
  readonly network?: string | undefined;
};
type Quit = { readonly type: "quit"; readonly person: PersonId };

/** CH4: opens a duel, or throws in the open duel between the two. */
export type Challenge = {
  readonly type: "challenge";
  readonly person: PersonId;
  readonly opponent: string;
  readonly hand: Hand | null;
  readonly ladder: string | null;
  readonly network?: string | undefined;
  readonly obstacle?: Refusal | undefined;
};
export type ThrowIn = {
  readonly type: "throw";
  readonly person: PersonId;
  readonly duel: DuelNumber;
  readonly hand: Hand;
  readonly ladder: string | null;
  /** Why it cannot count on the ladder, if so. The caller finds out; a retry gets the stored answer regardless. */
  readonly obstacle?: Refusal | undefined;
};
export type Drop = { readonly type: "drop"; readonly person: PersonId; readonly duel: DuelNumber };
/** Deliveries from the outbox of another stream, in order: notices for people. */
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
/** CH1: returns what was recorded under its key, and records nothing itself. */
type Recall = { readonly type: "recall" };
type Tick = { readonly type: "tick" };

export type DirectoryCommand =
  | HandleMessage
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
