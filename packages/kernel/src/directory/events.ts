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
  /** For a person without a nickname, who may never come back. */
  readonly forgetAt: Millis | null;
};
type Moved = { readonly type: "moved"; readonly conversation: ConversationNumber; readonly place: string };
type Linked = { readonly type: "linked"; readonly conversation: ConversationNumber; readonly ladder: string };
/** The conversation is to be forgotten at another time, or never. */
type Kept = {
  readonly type: "kept";
  readonly conversation: ConversationNumber;
  readonly forgetAt: Millis | null;
};
/**
 * CH8: nothing more may be sent to the conversation. It is never forgotten, because that would forget the stop too.
 */
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

/** NM3: the previous nickname is free at the same moment. */
export type Named = {
  readonly type: "named";
  readonly person: PersonId;
  readonly nickname: string;
  /** NM1: the form that names are compared by. */
  readonly fold: string;
  readonly was: string | null;
  /** Where the person gets notices from now on. */
  readonly home: string;
  /** For a person who is known only by an address on a channel. */
  readonly account: string | null;
  readonly network?: string;
};
/** The person gets notices elsewhere from now on. */
type Homed = { readonly type: "homed"; readonly person: PersonId; readonly home: string };
/** The conversation's default ladder from now on. */
type Registered = { readonly type: "registered"; readonly person: PersonId; readonly ladder: string };
/** CH5: the person is forgotten. A private conversation's address is forgotten a little later. */
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
  /** The seats that get an unsolicited notice. */
  readonly tells?: readonly DuelSeat[];
}
export type DuelOpened = OfDuel & {
  readonly type: "duel-opened";
  readonly lapsesAt: Millis;
  readonly network?: string;
};
/** `by` has thrown; the other player has not yet. */
export type Thrown = OfDuel & {
  readonly type: "thrown";
  readonly by: DuelSeat;
  readonly hand: Hand;
  readonly ladder: string | null;
};
/** `by` has thrown last: the result of both throws, in one entry. */
export type DuelEnded = OfDuel & DuelResult & { readonly type: "duel-ended"; readonly by: DuelSeat };
export type DuelDropped = OfDuel & {
  readonly type: "duel-dropped";
  readonly reason: DropReason;
  /** Who dropped it; null when it timed out or was evicted. */
  readonly by: DuelSeat | null;
  /** LM6: whose challenge it was evicted for. */
  readonly cause?: PersonId;
};

/** Deliveries of another stream up to this version were passed on to people. */
type Passed = {
  readonly type: "passed";
  readonly from: string;
  readonly version: number;
  /** The notices, with who caused each. Notices over the limit are left out (LM6). */
  readonly notices: readonly {
    readonly person: PersonId;
    readonly text: string;
    readonly by?: PersonId;
  }[];
};

interface Said {
  readonly channel: string;
  readonly person: PersonId | null;
  /** The message, clipped. */
  readonly text: string;
  /** Where to send the reply; null when the caller returns it. */
  readonly to: string | null;
}
/** CH1: a message and its reply, which stays the same if the message arrives again. */
type Answered = Said & { readonly type: "answered"; readonly reply: string };
/** A message that a ladder answers. */
type Asked = Said & {
  readonly type: "asked";
  /** Null for a person without a nickname, who may only read. */
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
