import type { DropReason, DuelNumber, DuelResult, DuelSeat } from "../duel/duel.ts";
import type { LadderQuestion, NamedPerson } from "../ladder/commands.ts";
import type { Hand } from "../match/games/rock-paper-scissors.ts";
import type { Both, Millis, PersonId } from "../values.ts";
import type { ConversationNumber } from "./state.ts";

/** The first message of a conversation. */
type Met = {
  readonly type: "met";
  readonly conversation: ConversationNumber;
  readonly channel: string;
  readonly place: string;
  readonly title: string | null;
  /** Of somebody without a name, who may never come back. */
  readonly forgetAt: Millis | null;
};
type Moved = { readonly type: "moved"; readonly conversation: ConversationNumber; readonly place: string };
type Linked = { readonly type: "linked"; readonly conversation: ConversationNumber; readonly ladder: string };
/** It is to be forgotten at another time, or not at all. */
type Kept = {
  readonly type: "kept";
  readonly conversation: ConversationNumber;
  readonly forgetAt: Millis | null;
};
/** CH8: nothing more is to be sent there; and it is not forgotten, for then that would be, too. */
type Unsubscribed = { readonly type: "unsubscribed"; readonly conversation: ConversationNumber };
type Resubscribed = {
  readonly type: "resubscribed";
  readonly conversation: ConversationNumber;
  readonly forgetAt: Millis | null;
};
type ConversationForgotten = {
  readonly type: "conversation-forgotten";
  readonly conversation: ConversationNumber;
};

/** NM3: the name that they had is free in the same moment. */
export type Named = {
  readonly type: "named";
  readonly person: PersonId;
  readonly nickname: string;
  /** NM1: what no other name may be equal to. */
  readonly fold: string;
  readonly was: string | null;
  /** Where they can be told what others do; theirs from now on. */
  readonly home: string;
  /** Of someone who is known by an address on a channel. */
  readonly account: string | null;
  readonly network?: string;
};
/** They can be reached elsewhere now. */
type Homed = { readonly type: "homed"; readonly person: PersonId; readonly home: string };
/** They mean this ladder now. */
type Registered = { readonly type: "registered"; readonly person: PersonId; readonly ladder: string };
/** CH5: the person is forgotten; of a conversation between two, the address too, a little later. */
export type Forgotten = {
  readonly type: "forgotten";
  readonly person: PersonId;
  readonly ladders: readonly string[];
  readonly conversation: ConversationNumber | null;
  readonly forgetAt: Millis;
};

interface OfDuel {
  readonly duel: DuelNumber;
  readonly players: Both<PersonId>;
  readonly names: Both<string>;
  /** Who is told of it though they did not ask. */
  readonly tells?: readonly DuelSeat[];
}
export type DuelOpened = OfDuel & {
  readonly type: "duel-opened";
  readonly lapsesAt: Millis;
  readonly network?: string;
};
/** `by` has thrown; the other has not yet. */
export type Thrown = OfDuel & {
  readonly type: "thrown";
  readonly by: DuelSeat;
  readonly hand: Hand;
  readonly ladder: string | null;
};
/** `by` has thrown, and so both have: one result, in one entry. */
export type DuelEnded = OfDuel & DuelResult & { readonly type: "duel-ended"; readonly by: DuelSeat };
export type DuelDropped = OfDuel & {
  readonly type: "duel-dropped";
  readonly reason: DropReason;
  /** Who did it; null when its time was over, or it was evicted. */
  readonly by: DuelSeat | null;
  /** LM6: whose challenge it was evicted for. */
  readonly cause?: PersonId;
};

/** What another stream has sent up to this version is on its way to those whom it is for. */
type Passed = {
  readonly type: "passed";
  readonly from: string;
  readonly version: number;
  /** Of each, by whose doing. Those that were one too many are left out (LM6). */
  readonly notices: readonly {
    readonly person: PersonId;
    readonly text: string;
    readonly by?: PersonId;
  }[];
};

interface Said {
  readonly channel: string;
  readonly person: PersonId | null;
  /** What was said, as far as it is kept. */
  readonly text: string;
  /** Where the reply is sent to; null when it is given back. */
  readonly to: string | null;
}
/** CH1: a message, and the reply that it gets however often it comes. */
type Answered = Said & { readonly type: "answered"; readonly reply: string };
/** A message that a ladder answers. */
type Asked = Said & {
  readonly type: "asked";
  /** Null for somebody without a nickname, who may look on. */
  readonly asker: NamedPerson | null;
  readonly ladder: string;
  readonly question: LadderQuestion;
  readonly network?: string;
};

export type DirectoryEvent =
  | Met
  | Moved
  | Linked
  | Kept
  | Unsubscribed
  | Resubscribed
  | ConversationForgotten
  | Named
  | Homed
  | Registered
  | Forgotten
  | DuelOpened
  | Thrown
  | DuelEnded
  | DuelDropped
  | Passed
  | Answered
  | Asked;
