import type { StatementSync } from "node:sqlite";
import type { LadderRows, MatchStatus, PlayerNumber, Turn } from "@openseat/kernel";
import type { MatchQuery, MatchRecord, Played, PlayedQuery } from "../ladder-store.ts";
import type { StreamName } from "../log.ts";
import { type MatchRow, matchColumns, matchOf, matchRatings } from "../match-rows.ts";
import { statementsIn } from "../statements.ts";

const statement = statementsIn(new URL("./sql/ladders.sql", import.meta.url));

type Sql = (text: string) => StatementSync;

/** Players first: what follows is theirs. */
const order = ["players", "standings", "matches", "statuses", "ratings", "recounts"] as const;

/** Steps from match to match in one go: more would hold up the flushes behind them. */
const stepsMax = 200;

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
      const writing = this.#sql(statement(kind));
      for (const row of found) writing.run(ladder, ...row);
    }
  }

  matches({ stream, status, order, beyond, limit }: MatchQuery): MatchRecord[] {
    const [comparison, direction] = order === "newest" ? ["<", "DESC"] : [">", "ASC"];
    const from = beyond ?? (order === "newest" ? Number.MAX_SAFE_INTEGER : 0);
    const rows = this.#sql(
      `SELECT ${matchColumns} FROM ${sourceOf(status)} AND m.number ${comparison} ?2
       ORDER BY m.number ${direction} LIMIT ?3`,
    ).all(stream, from, limit);
    return rows.map((row) => matchOf(row as unknown as MatchRow));
  }

  /**
   * From turn to turn: each row says in which the player had played before. Kept together by player they would be found
   * quicker, but every match would write two pages more.
   */
  played({ stream, player, from, opponent, limit }: PlayedQuery): Played {
    const row = this.#sql(
      `SELECT match, previous, opponent FROM rating_history WHERE ladder = ${thisLadder} AND turn = ?2 AND player = ?3`,
    );
    const match = this.#sql(
      `SELECT ${matchColumns} FROM matches AS m ${matchRatings} WHERE m.ladder = ${thisLadder} AND m.number = ?2`,
    );
    const matches: MatchRecord[] = [];
    let next: Turn | null = from;
    for (let step = 0; next !== null && step < stepsMax && matches.length < limit; step++) {
      const found = row.get(stream, next, player) as unknown as Step | undefined;
      if (!found) return { matches, next: null };
      next = found.previous;
      if (opponent !== undefined && found.opponent !== opponent) continue;
      matches.push(matchOf(match.get(stream, found.match) as unknown as MatchRow));
    }
    return { matches, next };
  }

  playersNamed(stream: StreamName, start: string, limit: number): PlayerNumber[] {
    const rows = this.#sql(statement("named")).all(stream, start, limit);
    return rows.map((row) => row.number as PlayerNumber);
  }
}

/** The rows of a ladder, by the index that has them in order. */
function sourceOf(status: MatchStatus | undefined): string {
  const where = `WHERE m.ladder = ${thisLadder}`;
  if (status === undefined) return `matches AS m ${matchRatings} ${where}`;
  const ofStatus = `${where} AND m.status = '${status}'`;
  if (status === "counted") return `matches AS m ${matchRatings} ${ofStatus}`;
  // By name, and said twice: left to choose, SQLite would go through all the matches that count.
  return `matches AS m INDEXED BY matches_not_counted ${matchRatings} ${ofStatus} AND m.status <> 'counted'`;
}

/** Of a player's way back from match to match. */
interface Step {
  readonly match: number;
  readonly previous: Turn | null;
  readonly opponent: number;
}
