import type { Both, Millis, PersonId } from "../values.ts";
import type { RatingTerms } from "./ratings/rating.ts";
import type { LadderSettings, MatchNumber } from "./state.ts";

/** Who asks, as far as rules depend on it. */
export interface Asker {
  readonly by: string;
  readonly role: "person" | "service" | "operator";
}

/** The result of a match: who played, and how many points each made. */
export interface Result {
  readonly players: Both<PersonId>;
  readonly scores: Both<number>;
}

/** A past match in a file. Whoever is no player yet becomes one, by this name. */
export interface ImportRow extends Result {
  readonly names: Both<string>;
  /** When it was played; null when the file does not say. */
  readonly at: Millis | null;
}

/** What another stream has to say, by the version of the entry that it comes from. */
export type Delivered = { readonly version: number } & (
  | (Result & {
      readonly names: Both<string>;
      /** Of a duel: it counts only where duels do. */
      readonly duel?: true;
    })
  /** Somebody goes by another name. */
  | { readonly named: readonly [PersonId, string] }
  /** Somebody wants to be forgotten. */
  | { readonly gone: PersonId }
);

export type CreateLadder = {
  readonly type: "create";
  readonly rating: RatingTerms;
  readonly settings: LadderSettings;
  readonly creator: string;
  /** Of settings that were not given: their defaults in older versions. A key from before an upgrade is recognised by them. */
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
  /** Whoever comes back goes by the name that they had. */
  readonly keepsName?: boolean;
  /** Undefined for what newcomers have. */
  readonly rating: number | undefined;
  readonly asker: Asker;
};
export type Leave = { readonly type: "leave"; readonly person: PersonId; readonly asker: Asker };
/** LD13: they leave the ladder, and do not come back before they are unbanned. */
export type Ban = { readonly type: "ban"; readonly person: PersonId; readonly asker: Asker };
export type Unban = { readonly type: "unban"; readonly person: PersonId; readonly asker: Asker };
export type Report = {
  readonly type: "report";
  readonly result: Result;
  readonly asker: Asker;
  /** The network that it came from, as a hash; undefined on channels. */
  readonly network?: string | undefined;
};
export type Confirm = { readonly type: "confirm"; readonly match: MatchNumber; readonly by: string };
export type Decline = { readonly type: "decline"; readonly match: MatchNumber; readonly by: string };
export type VoidMatch = { readonly type: "void"; readonly match: MatchNumber; readonly asker: Asker };
export type Import = {
  readonly type: "import";
  /** Of the rows: the same file is the same import. */
  readonly digest: string;
  readonly rows: readonly ImportRow[];
  readonly asker: Asker;
};
/** LD12: from the outbox of another stream, in its order. */
export type Deliver = {
  readonly type: "deliver";
  readonly from: string;
  readonly deliveries: readonly Delivered[];
};
/** Somebody, and what they are called where they talk. */
export interface NamedPerson {
  readonly person: PersonId;
  readonly name: string;
}

/** What is asked of a ladder in a chat. */
export type LadderQuestion =
  | { readonly type: "register" | "top" | "undo" | "decline" }
  /** Reported by this person; without, the oldest that waits. */
  | { readonly type: "confirm"; readonly of?: NamedPerson }
  | { readonly type: "match"; readonly players: Both<NamedPerson>; readonly scores: Both<number> }
  | { readonly type: "rating" | "history"; readonly of: NamedPerson };

/** CH1, CH2: a message about the ladder. What comes of it and the reply are one entry, so it is never refused. */
export type Discuss = {
  readonly type: "discuss";
  readonly question: LadderQuestion;
  /** Null for somebody without a nickname, who may look on. */
  readonly asker: NamedPerson | null;
  readonly said: string;
  /** CH7: it could not be dealt with; nothing comes of it, and it is answered so. */
  readonly isBroken?: true;
  readonly network?: string | undefined;
  /** The version of the directory in which it was heard. */
  readonly heardAt: number;
  /** Where the reply is sent to; null when it is given back. */
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
