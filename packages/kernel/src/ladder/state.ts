import { Agenda } from "../collections/agenda.ts";
import type { Both, Millis, PersonId } from "../values.ts";
import type { ImportRow } from "./commands.ts";
import { CountedMatches } from "./matches/counted-matches.ts";
import { MatchStatuses } from "./matches/match-statuses.ts";
import { PendingMatches } from "./matches/pending-matches.ts";
import { Players } from "./players.ts";
import type { RatingTerms } from "./ratings/rating.ts";
import { Standings } from "./standings.ts";

/** 1, 2, 3… in the order of enrolment. */
export type PlayerNumber = number & { readonly brand: "player" };
/** 1, 2, 3… in the order in which they were reported. */
export type MatchNumber = number & { readonly brand: "ladder-match" };

/** 1, 2, 3… in the order in which matches came to count. With confirmation, this is not the order of their numbers. */
export type CountOrder = number & { readonly brand: "count-order" };

/** Who reported a match: the first player, the second, or a trusted source. */
export type Reporter = "first" | "second" | "service" | "operator" | "import" | "source";

/** Settings that may change while the ladder runs. */
export interface LadderSettings {
  readonly title: string;
  /** Whether people may join without an invitation. */
  readonly open: boolean;
  /** LD9: matches that players report count only after the opponent confirms them. */
  readonly confirm: boolean;
  /** LD9: unconfirmed matches lapse after this time. */
  readonly confirmWindowMs: number;
  /** LD8: how long the reporter may void a match. */
  readonly undoWindowMs: number;
  /**
   * Whether duels may count here, if the ladder is open and both players want it. Missing on ladders from before duels
   * existed.
   */
  readonly duels?: boolean;
}

/** What never changes after the ladder was created. */
export interface LadderTerms {
  readonly rating: RatingTerms;
  readonly creator: string;
  readonly createdAt: Millis;
}

/** LD9: a match that waits for confirmation. */
export interface PendingMatch {
  readonly players: Both<PlayerNumber>;
  readonly scores: Both<number>;
  readonly reporter: Reporter;
  readonly lapsesAt: Millis;
  /** A hash of the network that it was reported from; undefined on channels. */
  readonly network?: string;
  /** LD14: the opponent's earlier report of the same match with another score. */
  readonly disputes?: MatchNumber;
}

/** An imported file, and how many of its rows have been counted. */
export interface ImportProgress {
  readonly rows: number;
  readonly begunAt: Millis;
  readonly done: number;
  /** When the latest rows were counted. */
  readonly at: Millis;
}

/** The players, matches and ratings of one group. */
export interface Ladder {
  readonly terms: LadderTerms;
  settings: LadderSettings;
  readonly players: Players;
  /** LD13. */
  readonly banned: Set<PlayerNumber>;
  readonly standings: Standings;
  /** The latest matches that count: as many as a void may have to rate again. */
  readonly counted: CountedMatches;
  /** The status of each match ever reported. */
  readonly statuses: MatchStatuses;
  /** How many matches count now. */
  counting: number;
  readonly pending: PendingMatches;
  readonly lapses: Agenda;
  /** Imports by digest. */
  readonly imports: Map<string, ImportProgress>;
  /** The remaining rows of the running import; one file at a time. */
  importing: { readonly digest: string; readonly rows: readonly ImportRow[] } | undefined;
  /** LD12: by stream, the version up to which its deliveries were handled. */
  readonly sources: Map<string, number>;
  /**
   * By person, the version of the directory at which they last asked to join. A request to be forgotten arrives
   * separately and may be late: it must not remove somebody who has since come back.
   */
  readonly registrations: Map<PersonId, number>;
  endedAt: Millis | undefined;
  /** Ended by its creator or an operator, for good. A result from an arena reopens a ladder that ended unused. */
  isClosed: boolean;
}

export function newLadder(terms: LadderTerms, settings: LadderSettings): Ladder {
  return assembled({
    terms,
    settings,
    players: new Players(),
    banned: new Set(),
    counted: new CountedMatches(),
    statuses: new MatchStatuses(),
    counting: 0,
    pending: new PendingMatches(),
    imports: new Map(),
    importing: undefined,
    sources: new Map(),
    registrations: new Map(),
    endedAt: undefined,
    isClosed: false,
  });
}

/** Adds the parts that are derived from the rest. */
export function assembled(parts: Omit<Ladder, "standings" | "lapses">, order?: Uint32Array): Ladder {
  const { players, pending } = parts;
  const lapses = new Agenda((match, at) => pending.get(match as MatchNumber)?.lapsesAt === at);
  for (const [match, { lapsesAt }] of pending) lapses.add(match, lapsesAt);
  return { ...parts, lapses, standings: new Standings(players, order) };
}
