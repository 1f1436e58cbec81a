import {
  type ImportProgress,
  isBanned,
  type Ladder as KernelLadder,
  type LadderTerms as KernelTerms,
  type LadderEvent,
  type LadderSettings,
  type Listing,
  ladderStatusOf,
  type MatchNumber,
  type RatingTerms,
  type Standing,
} from "@openseat/kernel";
import type {
  Ladder,
  LadderImport,
  LadderMatch,
  LadderMatchMade,
  LadderPlayer,
  LadderTerms,
  RatingStep,
} from "@openseat/protocol";
import type { StoredMatch } from "../log/ladder-store.ts";
import { makerOf } from "./makers.ts";
import { iso } from "./times.ts";

export function ladderTermsView(
  id: string,
  { rating, creator, createdAt }: KernelTerms,
  settings: LadderSettings,
): LadderTerms {
  const { title, open, confirm, confirmWindowMs, undoWindowMs, duels = false } = settings;
  return {
    ...{ id, title, open, confirm },
    confirmWindowSeconds: confirmWindowMs / 1000,
    undoWindowSeconds: undoWindowMs / 1000,
    duels,
    ...ratingView(rating),
    createdBy: makerOf({ creator }),
    createdAt: iso(createdAt),
  };
}

/** The fields of the other rating system are null. */
function ratingView(rating: RatingTerms) {
  const { system, start: startRating, floor } = rating;
  const isElo = system === "elo";
  const elo = <Value>(value: Value) => (isElo ? value : null);
  const glicko = <Value>(value: Value) => (isElo ? null : value);
  return {
    ...{ system, startRating, floor },
    k: elo(rating.k.map((step) => ({ ...step }))),
    curve: elo(rating.curve),
    provisionalGames: elo(rating.provisionalGames),
    startDeviation: glicko(rating.deviation),
    startVolatility: glicko(rating.volatility),
    tau: glicko(rating.tau),
    provisionalDeviation: glicko(rating.provisionalDeviation),
  };
}

export function ladderView(id: string, ladder: KernelLadder): Ladder {
  return {
    ...ladderTermsView(id, ladder.terms, ladder.settings),
    status: ladderStatusOf(ladder),
    players: ladder.players.present,
    matches: ladder.counting,
    pending: ladder.pending.size,
  };
}

export function ladderListed(id: string, { status, summary }: Listing) {
  const { terms, settings, players, matches, leader } = summary as unknown as {
    readonly terms: KernelTerms;
    readonly settings: LadderSettings;
    readonly players: number;
    readonly matches: number;
    readonly leader: { readonly name: string; readonly rating: number } | null;
  };
  return {
    ...ladderTermsView(id, terms, settings),
    ...{ status: status as Ladder["status"], players, matches, leader },
  };
}

export function makerListed({ summary }: Listing): string {
  return (summary as unknown as { readonly terms: KernelTerms }).terms.creator;
}

export function playerView(ladder: KernelLadder, standing: Standing): LadderPlayer {
  const { terms } = ladder;
  const { number, name, rating, provisional, games, wins, draws, losses, version } = standing;
  const isGlicko = terms.rating.system === "glicko2";
  return {
    ...{ number, userId: standing.person, name, rank: standing.rank ?? null, rating },
    deviation: isGlicko ? standing.deviation : null,
    volatility: isGlicko ? standing.volatility : null,
    ...{ provisional, games, wins, draws, losses, version },
    enrolledAt: iso(standing.enrolledAt),
    leftAt: standing.leftAt === undefined ? null : iso(standing.leftAt),
    banned: isBanned(ladder, number),
  };
}

export type MatchEvent = Extract<LadderEvent, { type: "reported" | "counted" }>;

/** From the entry and the players' ids, which never change, so that a repeated key gets the same response. */
export function matchMadeView({ players }: KernelLadder, event: MatchEvent): LadderMatchMade["match"] {
  return {
    id: String(event.match),
    status: event.type === "counted" ? "counted" : "pending",
    players: event.players.map((player, which) => ({
      userId: players.personOf(player),
      ...resultOf(event, which),
    })),
    lapsesAt: event.type === "counted" ? null : iso(event.lapsesAt),
    dispute: disputeIn(event),
  };
}

/** Ratings are null while the match is pending. */
export function resultOf(event: MatchEvent, which: number) {
  const score = event.scores[which];
  if (event.type === "reported") return { score, before: null, after: null };
  const before = event.before[which];
  return { score, before, after: before + event.change[which] };
}

export function disputeIn(event: MatchEvent): string | null {
  return event.type === "reported" ? textOf(event.disputes) : null;
}

function textOf(match: MatchNumber | undefined): string | null {
  return match === undefined ? null : String(match);
}

export function matchView({ players, pending }: KernelLadder, record: StoredMatch): LadderMatch {
  const { number, turn, status, scores, reporter, reportedAt, playedAt, changedAt, changes } = record;
  return {
    id: String(number),
    turn,
    status,
    players: record.players.map((player, which) => ({
      userId: players.personOf(player),
      name: players.nameOf(player),
      score: scores[which],
      before: changes?.[which].before ?? null,
      after: changes?.[which].after ?? null,
      recounted: (changes?.[which].firstChange ?? null) !== null,
    })),
    reportedBy: reporter,
    dispute: textOf(pending.disputeOf(number)),
    reportedAt: iso(reportedAt),
    playedAt: playedAt === null ? null : iso(playedAt),
    changedAt: iso(changedAt),
  };
}

/** A match of a player that counts, or counted, as a step of that player's rating. */
export function ratingStepView({ players }: KernelLadder, record: StoredMatch, own: 0 | 1): RatingStep {
  const opponent = record.players[1 - own];
  const { before, after, deviation, firstChange } = record.changes![own];
  return {
    match: String(record.number),
    status: record.status,
    opponent: { userId: players.personOf(opponent), name: players.nameOf(opponent) },
    score: record.scores[own],
    opponentScore: record.scores[1 - own],
    ...{ before, after, deviation, recounted: firstChange !== null, firstChange },
    at: iso(record.playedAt ?? record.reportedAt),
  };
}

export function importView(id: string, { rows, done, begunAt, at }: ImportProgress): LadderImport["import"] {
  const status = done === rows ? "done" : "running";
  return { id, rows, done, status, begunAt: iso(begunAt), changedAt: iso(at) };
}
