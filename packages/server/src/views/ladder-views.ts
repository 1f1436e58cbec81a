import {
  type Counted,
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
import type { MatchRecord } from "../log/ladder-store.ts";
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

/** Of a system, what it goes by; what belongs to the other is null. */
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

type Told = Extract<LadderEvent, { type: "reported" | "counted" }>;

/** From the entry and from who the players are, which never changes: so a repeated key is given the same. */
export function matchMadeView({ players }: KernelLadder, event: Told): LadderMatchMade["match"] {
  return {
    id: String(event.match),
    status: event.type === "counted" ? "counted" : "pending",
    players: event.players.map((player, which) => ({
      userId: players.personOf(player),
      score: event.scores[which],
      before: event.type === "counted" ? event.before[which] : null,
      after: event.type === "counted" ? afterOf(event, which) : null,
    })),
    lapsesAt: event.type === "counted" ? null : iso(event.lapsesAt),
    dispute: event.type === "counted" ? null : textOf(event.disputes),
  };
}

export function textOf(match: MatchNumber | undefined): string | null {
  return match === undefined ? null : String(match);
}

export function afterOf({ before, change }: Counted, which: number): number {
  return before[which] + change[which];
}

export function matchView({ players, pending }: KernelLadder, record: MatchRecord): LadderMatch {
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
      recounted: isRecounted(record, which),
    })),
    reportedBy: reporter,
    dispute: textOf(pending.disputeOf(number)),
    reportedAt: iso(reportedAt),
    playedAt: playedAt === null ? null : iso(playedAt),
    changedAt: iso(changedAt),
  };
}

/** A match of a player that counts, or counted, as a step of that player's rating. */
export function ratingStepView({ players }: KernelLadder, record: MatchRecord, own: 0 | 1): RatingStep {
  const opponent = record.players[1 - own];
  const change = record.changes![own];
  return {
    match: String(record.number),
    status: record.status,
    opponent: { userId: players.personOf(opponent), name: players.nameOf(opponent) },
    score: record.scores[own],
    opponentScore: record.scores[1 - own],
    before: change.before,
    after: change.after,
    deviation: change.deviation,
    recounted: isRecounted(record, own),
    firstChange: change.firstChange,
    at: iso(record.playedAt ?? record.reportedAt),
  };
}

function isRecounted({ changes }: MatchRecord, which: number): boolean {
  return changes !== null && changes[which].firstChange !== null;
}

export function importView(id: string, { rows, done, begunAt, at }: ImportProgress): LadderImport["import"] {
  return {
    id,
    rows,
    done,
    status: done === rows ? "done" : "running",
    begunAt: iso(begunAt),
    changedAt: iso(at),
  };
}
