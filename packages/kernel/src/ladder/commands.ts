import type { Both, Millis, PersonId } from "../values.ts";
import type { RatingTerms } from "./ratings/rating.ts";
import type { LadderSettings, MatchNumber } from "./state.ts";

/** The person who made the request, as far as the rules depend on it. */
export interface Asker {
  readonly by: string;
  readonly role: "person" | "service" | "operator";
}

/** The result of a match: the players and their scores. */
export interface Result {
  readonly players: Both<PersonId>;
  readonly scores: Both<number>;
}

/** A past match in a file. Enrols players who are not on the ladder, by these names. */
export interface ImportRow extends Result {
  readonly names: Both<string>;
  /** When it was played; null when the file does not say. */
  readonly at: Millis | null;
}

/** A delivery from another stream, with the version of the entry that caused it. */
export type Delivered = { readonly version: number } & (
  | (Result & {
      readonly names: Both<string>;
      /** Set for a duel, which counts only on ladders that take duels. */
      readonly duel?: true;
    })
  /** A person and their new nickname. */
  | { readonly named: readonly [PersonId, string] }
  /** A person who wants to be forgotten. */
  | { readonly gone: PersonId }
);

export type CreateLadder = {
  readonly type: "create";
  readonly rating: RatingTerms;
  readonly settings: LadderSettings;
  readonly creator: string;
  /**
   * The defaults of older versions for settings that were not given, so that idempotency keys from before an upgrade
   * still match.
   */
  readonly formerDefaults?: Partial<LadderSettings>;
};
export type Configure = {
  readonly type: "configure";
  readonly changes: Partial<LadderSettings>;
  readonly asker: Asker;
};
export type End = { readonly type: "end"; readonly asker: Asker };
export type Enrol = {
  readonly type: "enrol";
  readonly person: PersonId;
  readonly name: string;
  /** Keep the previous name of a player who comes back. */
  readonly keepsName?: boolean;
  /** Undefined for the starting rating. */
  readonly rating: number | undefined;
  readonly asker: Asker;
};
export type Leave = { readonly type: "leave"; readonly person: PersonId; readonly asker: Asker };
/** LD13: bans a player, who leaves the ladder and cannot come back until unbanned. */
export type Ban = { readonly type: "ban"; readonly person: PersonId; readonly asker: Asker };
export type Unban = { readonly type: "unban"; readonly person: PersonId; readonly asker: Asker };
export type Report = {
  readonly type: "report";
  readonly result: Result;
  readonly asker: Asker;
  /** A hash of the network that it came from; undefined on channels. */
  readonly network?: string | undefined;
};
export type Confirm = { readonly type: "confirm"; readonly match: MatchNumber; readonly by: string };
export type Decline = { readonly type: "decline"; readonly match: MatchNumber; readonly by: string };
export type VoidMatch = { readonly type: "void"; readonly match: MatchNumber; readonly asker: Asker };
export type Import = {
  readonly type: "import";
  /** A digest of the rows. The same rows are the same import. */
  readonly digest: string;
  readonly rows: readonly ImportRow[];
  readonly asker: Asker;
};
/** LD12: deliveries from the outbox of another stream, in order. */
export type Deliver = {
  readonly type: "deliver";
  readonly from: string;
  readonly deliveries: readonly Delivered[];
};
/** A person and their nickname in the chat. */
export interface NamedPerson {
  readonly person: PersonId;
  readonly name: string;
}

/** A question to the ladder from a chat. */
export type LadderQuestion =
  | { readonly type: "register" | "top" | "undo" | "decline" }
  /** The reporter of the match to confirm; without it, the oldest pending match. */
  | { readonly type: "confirm"; readonly of?: NamedPerson }
  | { readonly type: "match"; readonly players: Both<NamedPerson>; readonly scores: Both<number> }
  | { readonly type: "rating" | "history"; readonly of: NamedPerson };

/** CH1, CH2: a message about the ladder. Its effects and its reply are one entry, so it is never refused. */
export type Discuss = {
  readonly type: "discuss";
  readonly question: LadderQuestion;
  /** Null for a person without a nickname, who may only read. */
  readonly asker: NamedPerson | null;
  readonly said: string;
  /** CH7: the message could not be processed. It has no effect, and the reply says so. */
  readonly isBroken?: true;
  readonly network?: string | undefined;
  /** The version of the directory at which the message was received. */
  readonly heardAt: number;
  /** Where to send the reply; null when the caller returns it. */
  readonly to: string | null;
};
type Tick = { readonly type: "tick" };

export type LadderCommand =
  | CreateLadder
  | Configure
  | End
  | Enrol
  | Leave
  | Ban
  | Unban
  | Report
  | Confirm
  | Decline
  | VoidMatch
  | Import
  | Deliver
  | Discuss
  | Tick;
