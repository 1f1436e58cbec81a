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

/** 1, 2, 3… in the order in which matches come to count: with confirmation, that is not the order of their numbers. */
export type Turn = number & { readonly brand: "turn" };

/** Whose word a match is: the first player's, the second's, or that of someone trusted. */
export type Reporter = "first" | "second" | "service" | "operator" | "import" | "source";

/** What may be changed while the ladder goes on. */
export interface LadderSettings {
  readonly title: string;
  /** Whether people may enrol by themselves. */
  readonly open: boolean;
  /** LD9: what players report counts only when the opponent has confirmed it. */
  readonly confirm: boolean;
  /** LD9: after so long, what was not confirmed lapses. */
  readonly confirmWindowMs: number;
  /** LD8: so long whoever reported a match may void it. */
  readonly undoWindowMs: number;
  /** Whether duels may count here while it is open, if both want it; ladders that were made before there were duels do not say. */
  readonly duels?: boolean;
}

/** What never changes after the ladder was made. */
export interface LadderTerms {
  readonly rating: RatingTerms;
  readonly creator: string;
  readonly createdAt: Millis;
}

/** LD9: a match that waits to be confirmed. */
export interface PendingMatch {
  readonly players: Both<PlayerNumber>;
  readonly scores: Both<number>;
  readonly reporter: Reporter;
  readonly lapsesAt: Millis;
  /** The network that it was reported from, as a hash; undefined on channels. */
  readonly network?: string;
  /** LD14: the earlier report of the opponent that gives another score of the same match. */
  readonly disputes?: MatchNumber;
}

/** A file of past matches, and how many of its rows have been counted. */
export interface ImportProgress {
  readonly rows: number;
  readonly begunAt: Millis;
  readonly done: number;
  /** When the latest of them were counted. */
  readonly at: Millis;
}

/** Players, matches and ratings of one group. */
export interface Ladder {
  readonly terms: LadderTerms;
  settings: LadderSettings;
  readonly players: Players;
  /** LD13. */
  readonly banned: Set<PlayerNumber>;
  readonly standings: Standings;
  /** The latest that count, as many as may have to be counted again. */
  readonly counted: CountedMatches;
  /** What became of each that was ever reported. */
  readonly statuses: MatchStatuses;
  /** That count now. */
  counting: number;
  readonly pending: PendingMatches;
  readonly lapses: Agenda;
  /** By digest. */
  readonly imports: Map<string, ImportProgress>;
  /** What is left to be counted, of one file at a time. */
  importing: { readonly digest: string; readonly rows: readonly ImportRow[] } | undefined;
  /** LD12: the version up to which each stream has been heard. */
  readonly sources: Map<string, number>;
  /**
   * By whom it was asked last to be a player, and in which version of the directory. That they once wanted to be forgotten
   * comes by another way, and may come later: it must not take away somebody who is back.
   */
  readonly registrations: Map<PersonId, number>;
  endedAt: Millis | undefined;
  /** Ended by its maker or an operator, for good. A result of an arena takes an unused ladder into use again. */
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

/** With what follows from the rest. */
export function assembled(parts: Omit<Ladder, "standings" | "lapses">, order?: Uint32Array): Ladder {
  const { players, pending } = parts;
  const lapses = new Agenda((match, at) => pending.get(match as MatchNumber)?.lapsesAt === at);
  for (const [match, { lapsesAt }] of pending) lapses.add(match, lapsesAt);
  return { ...parts, lapses, standings: new Standings(players, order) };
}
