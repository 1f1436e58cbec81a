import type { Ladder, LadderMatch, LadderPlayer, RatingStep } from "@openseat/client";
import { ann, bob } from "../arena/stage.ts";

export const time = "2030-01-01T12:00:00.000Z";
export const timeMs: number = Date.parse(time);

export const ladder: Ladder = {
  id: "tennis",
  title: "Table tennis",
  status: "OPEN",
  open: true,
  confirm: false,
  duels: false,
  confirmWindowSeconds: 3 * 86_400,
  undoWindowSeconds: 3_600,
  system: "elo",
  startRating: 1_000,
  floor: 100,
  k: [{ from: 0, k: 32 }],
  curve: "logistic",
  provisionalGames: 10,
  startDeviation: 0,
  startVolatility: 0,
  tau: 0.5,
  provisionalDeviation: 110,
  createdBy: null,
  createdAt: time,
  players: 30,
  matches: 4,
  pending: 0,
};

export const annPlays: LadderPlayer = {
  number: 1,
  userId: ann.id,
  name: "Ann",
  rank: 13,
  rating: 1_026.6,
  deviation: null,
  volatility: null,
  provisional: true,
  games: 4,
  wins: 2,
  draws: 1,
  losses: 1,
  version: 4,
  enrolledAt: time,
  leftAt: null,
  banned: false,
};

/** Ann reported that she beat Bob. */
export const annBeatBob: LadderMatch = {
  id: "7",
  status: "counted",
  players: [
    { userId: ann.id, name: "Ann", score: 3, before: 1_000, after: 1_016, recounted: false },
    { userId: bob.id, name: "Bob", score: 1, before: 1_000, after: 984, recounted: false },
  ],
  turn: 1,
  reportedBy: "first",
  reportedAt: time,
  playedAt: null,
  changedAt: time,
  dispute: null,
};

export const pending: LadderMatch = {
  ...annBeatBob,
  status: "pending",
  players: annBeatBob.players.map((side) => ({ ...side, before: null, after: null })),
};

export const step: RatingStep = {
  match: "7",
  status: "counted",
  opponent: { userId: bob.id, name: "Bob" },
  score: 3,
  opponentScore: 1,
  before: 1_000,
  after: 1_016,
  deviation: null,
  recounted: false,
  firstChange: null,
  at: time,
};
