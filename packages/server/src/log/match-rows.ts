import type { MatchNumber, Millis, PlayerNumber, Turn } from "@openseat/kernel";
import type { MatchRecord, RatingChange } from "./ladder-store.ts";

/** A match `m` with what it did to its two, `a` and `b`: in the SQL of every store that has it as rows. */
export const matchColumns = `m.number, m.turn, m.status, m.first, m.second, m.first_score, m.second_score, m.reporter,
  m.reported_at, m.played_at, m.changed_at,
  a.before AS a_before, a.after AS a_after, a.deviation AS a_deviation, a.first_change AS a_first_change,
  b.before AS b_before, b.after AS b_after, b.deviation AS b_deviation, b.first_change AS b_first_change`;

export const matchRatings = `
  LEFT JOIN rating_history AS a ON a.ladder = m.ladder AND a.turn = m.turn AND a.player = m.first
  LEFT JOIN rating_history AS b ON b.ladder = m.ladder AND b.turn = m.turn AND b.player = m.second`;

export type MatchRow = Readonly<Record<string, number | null>> & {
  readonly status: MatchRecord["status"];
  readonly reporter: MatchRecord["reporter"];
};

export function matchOf(row: MatchRow): MatchRecord {
  return {
    number: row.number as MatchNumber,
    turn: row.turn as Turn | null,
    status: row.status,
    players: [row.first as PlayerNumber, row.second as PlayerNumber],
    scores: [row.first_score!, row.second_score!],
    reporter: row.reporter,
    reportedAt: row.reported_at as Millis,
    playedAt: row.played_at as Millis | null,
    changedAt: row.changed_at as Millis,
    changes: row.a_before === null ? null : [changeOf(row, "a"), changeOf(row, "b")],
  };
}

function changeOf(row: MatchRow, side: "a" | "b"): RatingChange {
  return {
    before: row[`${side}_before`]!,
    after: row[`${side}_after`]!,
    deviation: row[`${side}_deviation`],
    firstChange: row[`${side}_first_change`],
  };
}
