import type { RatingChange, StoredMatch } from "./ladder-store.ts";
import type { DeadLetter, Listed, Outgoing } from "./log.ts";

// biome-ignore lint/suspicious/noExplicitAny: what a row holds is known where its statement is
export type Row = any;

/** The columns of a match `m` with its effect on both players, `a` and `b`, for all SQL stores. */
export const matchColumns = `m.number, m.turn, m.status, m.first, m.second, m.first_score, m.second_score, m.reporter,
  m.reported_at, m.played_at, m.changed_at,
  a.before AS a_before, a.after AS a_after, a.deviation AS a_deviation, a.first_change AS a_first_change,
  b.before AS b_before, b.after AS b_after, b.deviation AS b_deviation, b.first_change AS b_first_change`;

export const matchRatings = `
  LEFT JOIN rating_history AS a ON a.ladder = m.ladder AND a.turn = m.turn AND a.player = m.first
  LEFT JOIN rating_history AS b ON b.ladder = m.ladder AND b.turn = m.turn AND b.player = m.second`;

/** Kinds of ladder rows in the order in which they are written: the others refer to players. */
export const ladderRowKinds = ["players", "standings", "matches", "statuses", "ratings", "recounts"] as const;

/** Matches visited per query. More would delay other calls. */
export const stepsMax = 200;

/** Characters per page of entries. Entry sizes vary a thousandfold, and a page of large ones would delay other calls. */
export const readCharactersMax = 2_000_000;

export function matchOf(row: Row): StoredMatch {
  return {
    ...{ number: row.number, turn: row.turn, status: row.status, reporter: row.reporter },
    players: [row.first, row.second],
    scores: [row.first_score, row.second_score],
    ...{ reportedAt: row.reported_at, playedAt: row.played_at, changedAt: row.changed_at },
    changes: row.a_before === null ? null : [changeOf(row, "a"), changeOf(row, "b")],
  };
}

function changeOf(row: Row, side: "a" | "b"): RatingChange {
  return {
    before: row[`${side}_before`],
    after: row[`${side}_after`],
    deviation: row[`${side}_deviation`],
    firstChange: row[`${side}_first_change`],
  };
}

export function outgoingOf({ number, name, version, target, body }: Row): Outgoing {
  return { number, from: name, version, to: target, body: JSON.parse(body) };
}

export function deadLetterOf(row: Row): DeadLetter {
  return { ...outgoingOf(row), reason: row.failure, setAsideAt: row.failed_at ?? undefined };
}

export function listedOf({ number, name, status, summary }: Row): Listed {
  return { stream: name, number, status, summary: JSON.parse(summary) };
}
