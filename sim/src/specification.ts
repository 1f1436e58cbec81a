import type { Listing, Millis, PlaceState } from "@openseat/kernel";
import type { Entry, FeedMessage } from "@openseat/server";
import type { Asked } from "./ladder/discussion.ts";

/** The machine-readable part of a refusal. The simulator does not compare texts for people. */
export interface Obstacle {
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>> | null;
}

export function obstacle({ code, data }: { code: string; data?: Obstacle["data"] | undefined }): Obstacle {
  return { code, data: data ?? null };
}

/** RM4: the allowed changes of a place's state. */
export const movesAllowed: Readonly<Record<PlaceState, readonly PlaceState[]>> = {
  waiting: ["admitted", "expired", "left"],
  admitted: ["active", "expired", "left"],
  active: ["completed", "left", "expired"],
  completed: [],
  left: [],
  expired: [],
};

export const isLive = (place: { readonly state: PlaceState }) => movesAllowed[place.state].length > 0;

/** The viewer of a room, and the place they ask for; by default their own. */
export interface Glance {
  readonly by: string;
  readonly ticket?: number | undefined;
}

/** Facts from other streams that an entry may depend on. */
export interface OtherStreams {
  /** The directory's question to a ladder under this key. */
  asked(key: string | undefined): Asked | undefined;
}

/** What docs/SPEC.md says about one kind of room, as a simple and slow model. */
export interface Specification<
  Room extends { readonly at: Millis; readonly terms: unknown },
  Command,
  Event,
> {
  /** Applies one entry. Throws `RuleBroken` when the rules do not allow it. */
  fold(before: Room | undefined, entry: Entry<Event>, otherStreams: OtherStreams): Room;
  /** When the room next has work to do. */
  due(room: Room): Millis | undefined;
  readonly dueRule: string;
  listing(room: Room): Listing;
  /** The refusal of a command; undefined for "done". */
  refusal(room: Room | undefined, by: string, command: Command): Obstacle | undefined;
  /** Further refusals that are possible because of the current or an earlier clock. */
  refusalByClock(
    command: Command,
    latestClock: Millis,
    room: Room | undefined,
    by: string,
  ): Obstacle | undefined;
  /** The rule behind a refusal code. */
  refusalRule(code: string): string;
  /** ID2: whether the command asks for what the entry did. */
  asksTheSame(command: Command, entry: Entry<Event>): boolean;
  /** The rule that makes keys permanent instead of valid for a day (ID1). */
  readonly keepsKeysBy?: string;
  /** Everything that the viewer can know about the room. */
  view(room: Room, glance: Glance): unknown;
  readonly viewRule: string;
  /** Where several rules define the view: the one that this view breaks. */
  viewRuleFor?(shown: unknown, expected: unknown): string;
  /**
   * Where each viewer has a different view: checks a feed message about this version and entry against the room.
   * Returns what the viewer now knows of the state, if the message says anything about it.
   */
  checkShown?(shown: {
    readonly room: Room | undefined;
    readonly entry: Entry<Event> | undefined;
    readonly message: FeedMessage;
    readonly viewer: string;
    /** What this connection showed them before. */
    readonly before: unknown;
  }): unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: the only list that holds rooms of all kinds
export type AnySpecification = Specification<any, any, any>;
