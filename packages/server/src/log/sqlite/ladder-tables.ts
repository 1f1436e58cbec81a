import type { StatementSync } from "node:sqlite";
import type { LadderRows, MatchNumber, Millis, PlayerNumber, Turn } from "@openseat/kernel";
import type { HeadToHeadRecord, MatchQuery, MatchRecord, RatingChange } from "../ladder-records.ts";
import type { StreamName } from "../log.ts";

type Sql = (text: string) => StatementSync;

/** How each kind of row is written: after the ladder, its values in the order in which they come. */
const writing: Readonly<Record<keyof LadderRows, string>> = {
  players: `INSERT INTO players (ladder, number, person, name, enrolled_at, left_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET name = excluded.name, left_at = excluded.left_at`,
  standings: `UPDATE players SET rating = ?3, deviation = ?4, volatility = ?5, wins = ?6, draws = ?7, losses = ?8, version = ?9
     WHERE ladder = ?1 AND number = ?2`,
  // Of one that was reported before, only that it counts now is new.
  matches: `INSERT INTO matches (ladder, number, key, turn, status, first, second, first_score, second_score, reporter,
       reported_at, played_at, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (ladder, number) DO UPDATE SET turn = excluded.turn, status = excluded.status, changed_at = excluded.changed_at`,
  statuses: "UPDATE matches SET status = ?3, changed_at = ?4 WHERE ladder = ?1 AND number = ?2",
  ratings: `INSERT INTO rating_history (ladder, player, turn, match, opponent, before, after, deviation, volatility)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  recounts: `UPDATE rating_history SET first_change = coalesce(first_change, after - before),
       before = ?4, after = ?5, deviation = ?6, volatility = ?7
     WHERE ladder = ?1 AND player = ?2 AND turn = ?3`,
};

/** Players first: what follows is theirs. */
const order = ["players", "standings", "matches", "statuses", "ratings", "recounts"] as const;

const selected = `m.number, m.turn, m.status, m.first, m.second, m.first_score, m.second_score, m.reporter, m.reported_at,
  m.played_at, m.changed_at,
  a.before AS a_before, a.after AS a_after, a.deviation AS a_deviation, a.first_change AS a_first_change,
  b.before AS b_before, b.after AS b_after, b.deviation AS b_deviation, b.first_change AS b_first_change`;

const bothRatings = `
  LEFT JOIN rating_history AS a ON a.ladder = m.ladder AND a.player = m.first AND a.turn = m.turn
  LEFT JOIN rating_history AS b ON b.ladder = m.ladder AND b.player = m.second AND b.turn = m.turn`;

const thisLadder = "(SELECT number FROM streams WHERE name = ?1)";

/** Matches, players and ratings as rows, so that they can be asked for by query: by the server, and by operators. */
export class LadderTables {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** In the transaction of the entries that the rows come from. */
  write(ladder: number, rows: LadderRows): void {
    for (const kind of order) {
      const found = rows[kind];
      if (found.length === 0) continue;
      const statement = this.#sql(writing[kind]);
      for (const row of found) statement.run(ladder, ...row);
    }
  }

  matches(query: MatchQuery): MatchRecord[] {
    const { stream, beyond, limit } = query;
    const isNewest = query.order === "newest";
    const from = beyond ?? (isNewest ? Number.MAX_SAFE_INTEGER : 0);
    const { source, where, number = "m.number", values } = sourceOf(query);
    const rows = this.#sql(
      `SELECT ${selected} FROM ${source} ${bothRatings}
       WHERE ${where} AND ${number} ${isNewest ? "<" : ">"} ?2 ORDER BY ${number} ${isNewest ? "DESC" : "ASC"} LIMIT ?3`,
    ).all(stream, from, limit, ...values);
    return rows.map((row) => matchOf(row as unknown as MatchRow));
  }

  headToHead(
    stream: StreamName,
    [player, opponent]: readonly [PlayerNumber, PlayerNumber],
  ): HeadToHeadRecord {
    return this.#sql(
      `WITH met AS (
         SELECT iif(first = ?2, first_score, second_score) AS own, iif(first = ?2, second_score, first_score) AS other
         FROM matches INDEXED BY matches_by_pair WHERE ladder = ${thisLadder} AND status = 'counted'
           AND min(first, second) = min(?2, ?3) AND max(first, second) = max(?2, ?3))
       SELECT count(*) FILTER (WHERE own > other) AS wins, count(*) FILTER (WHERE own = other) AS draws,
         count(*) FILTER (WHERE own < other) AS losses,
         coalesce(sum(own), 0) AS points, coalesce(sum(other), 0) AS opponentPoints FROM met`,
    ).get(stream, player, opponent) as unknown as HeadToHeadRecord;
  }

  playersNamed(stream: StreamName, start: string, limit: number): PlayerNumber[] {
    const rows = this.#sql(
      `SELECT number FROM players WHERE ladder = ${thisLadder} AND left_at IS NULL
         AND name >= ?2 AND name < ?2 || char(0x10FFFF) ORDER BY name LIMIT ?3`,
    ).all(stream, start, limit);
    return rows.map((row) => row.number as PlayerNumber);
  }
}

interface Source {
  readonly source: string;
  readonly where: string;
  /** The column that the index is in order of, where it is not that of the matches. */
  readonly number?: string;
  readonly values: number[];
}

/** Which rows a query is about, by the index that has them in order: left to choose, SQLite would go through them all. */
function sourceOf({ player, pair, status }: MatchQuery): Source {
  if (pair) {
    const [low, high] = pair[0] < pair[1] ? pair : [pair[1], pair[0]];
    const where = `m.ladder = ${thisLadder} AND min(m.first, m.second) = ?4 AND max(m.first, m.second) = ?5`;
    return { source: "matches AS m INDEXED BY matches_by_pair", where, values: [low, high] };
  }
  if (player !== undefined) {
    const source = "rating_history AS h JOIN matches AS m ON m.ladder = h.ladder AND m.number = h.match";
    const where = `h.ladder = ${thisLadder} AND h.player = ?4`;
    return { source, where, number: "h.turn", values: [player] };
  }
  const where = `m.ladder = ${thisLadder}`;
  if (status === undefined) return { source: "matches AS m", where, values: [] };
  const ofStatus = `${where} AND m.status = '${status}'`;
  if (status === "counted") return { source: "matches AS m", where: ofStatus, values: [] };
  // Said twice: without the second, SQLite does not see that the small index has all of them.
  const source = "matches AS m INDEXED BY matches_not_counted";
  return { source, where: `${ofStatus} AND m.status <> 'counted'`, values: [] };
}

type MatchRow = Readonly<Record<string, number | null>> & {
  readonly status: MatchRecord["status"];
  readonly reporter: MatchRecord["reporter"];
};

function matchOf(row: MatchRow): MatchRecord {
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
