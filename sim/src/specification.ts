import type { Listing, Millis, PlaceState } from "@openseat/kernel";
import type { Entry, FeedMessage } from "@openseat/server";
import type { Asked } from "./ladder/discussion.ts";

/** What a refusal says to programs. Its words for people are not the simulator's business. */
export interface Obstacle {
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>> | null;
}

export function obstacle({ code, data }: { code: string; data?: Obstacle["data"] | undefined }): Obstacle {
  return { code, data: data ?? null };
}

/** RM4: the ways that a place may go. */
export const movesAllowed: Readonly<Record<PlaceState, readonly PlaceState[]>> = {
  waiting: ["admitted", "expired", "left"],
  admitted: ["active", "expired", "left"],
  active: ["completed", "left", "expired"],
  completed: [],
  left: [],
  expired: [],
};

export const isLive = (place: { readonly state: PlaceState }) => movesAllowed[place.state].length > 0;

/** Who looks at a room, and at which place in it; without one, at their own. */
export interface Glance {
  readonly by: string;
  readonly ticket?: number | undefined;
}

/** What an entry may rest on that stands in another stream. */
export interface Elsewhere {
  /** What the directory has asked a ladder under this key. */
  asked(key: string | undefined): Asked | undefined;
}

/** What docs/SPEC.md says of one kind of room, in terms of a model that is slow and obvious. */
export interface Specification<
  Room extends { readonly at: Millis; readonly terms: unknown },
  Command,
  Event,
> {
  /** The room after one more entry; throws `RuleBroken` when the rules do not allow that entry. */
  fold(before: Room | undefined, entry: Entry<Event>, elsewhere: Elsewhere): Room;
  /** When the room has to be woken next. */
  due(room: Room): Millis | undefined;
  readonly dueRule: string;
  listing(room: Room): Listing;
  /** What a command is refused with; undefined for "done". */
  refusal(room: Room | undefined, by: string, command: Command): Obstacle | undefined;
  /** What it may be refused with besides, because of what the clock says or once said. */
  refusalByClock(
    command: Command,
    latestClock: Millis,
    room: Room | undefined,
    by: string,
  ): Obstacle | undefined;
  /** The rule by which requests are refused with this code. */
  refusalRule(code: string): string;
  /** ID2: whether the command asks for what the entry did. */
  asksTheSame(command: Command, entry: Entry<Event>): boolean;
  /** The rule by which a key leads to the same entry for ever, rather than for a day (ID1). */
  readonly keepsKeysBy?: string;
  /** All that can be known of the room by the one who looks. */
  view(room: Room, glance: Glance): unknown;
  readonly viewRule: string;
  /** Where several rules say what is shown: the one by which what was shown is wrong. */
  viewRuleFor?(shown: unknown, expected: unknown): string;
  /**
   * Where each viewer is shown their own: holds a message of the feed, about this version of the room and this entry,
   * against the room. What the viewer knows of the state by then, if the message says anything of it.
   */
  checkShown?(shown: {
    readonly room: Room | undefined;
    readonly entry: Entry<Event> | undefined;
    readonly message: FeedMessage;
    readonly viewer: string;
    /** What they knew before, on this connection. */
    readonly before: unknown;
  }): unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: the one place where rooms of all kinds stand side by side
export type AnySpecification = Specification<any, any, any>;
