import type { CountOrder, LadderRows, MatchStatus, PlayerNumber } from "@openseat/kernel";
import type { MatchQuery, Played, PlayedQuery, StoredMatch } from "../ladder-store.ts";
import type { StreamName } from "../log.ts";
import { ladderRowKinds, matchColumns, matchOf, matchRatings, stepsMax } from "../rows.ts";
import { statementsIn } from "../statements.ts";
import type { Sql } from "./sql.ts";

const statement = statementsIn(new URL("./sql/ladders.sql", import.meta.url), { matchColumns, matchRatings });

/** Matches, players and ratings as rows, for queries by the server and by operators. */
export class LadderTables {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Runs in the transaction of the entries that the rows come from. */
  write(ladder: number, rows: LadderRows): void {
    for (const kind of ladderRowKinds) {
      const found = rows[kind];
      if (found.length === 0) continue;
      const writing = this.#sql(statement(kind));
      for (const row of found) writing.run(ladder, ...row);
    }
  }

  matches({ stream, status, order, beyond, limit }: MatchQuery): StoredMatch[] {
    const [comparison, direction] = order === "newest" ? ["<", "DESC"] : [">", "ASC"];
    const from = beyond ?? (order === "newest" ? Number.MAX_SAFE_INTEGER : 0);
    const { index, condition } = ofStatus(status);
    const text = `SELECT ${matchColumns} FROM matches AS m ${index} ${matchRatings}
      WHERE m.ladder = (SELECT number FROM streams WHERE name = ?) ${condition} AND m.number ${comparison} ?
      ORDER BY m.number ${direction} LIMIT ?`;
    return this.#sql(text).all(stream, from, limit).map(matchOf);
  }

  /**
   * Follows the player's matches backwards: each row has the turn of the player's previous match. Grouping rows by player would
   * be faster to read, but every match would write two more pages.
   */
  played({ stream, player, from, opponent, limit }: PlayedQuery): Played {
    const stepOf = this.#sql(statement("step"));
    const match = this.#sql(statement("match"));
    const matches: StoredMatch[] = [];
    let next: CountOrder | null = from;
    for (let step = 0; next !== null && step < stepsMax && matches.length < limit; step++) {
      const found = stepOf.get(stream, next, player);
      if (!found) return { matches, next: null };
      next = found.previous;
      if (opponent === undefined || found.opponent === opponent)
        matches.push(matchOf(match.get(stream, found.match)));
    }
    return { matches, next };
  }

  playersNamed(stream: StreamName, start: string, limit: number): PlayerNumber[] {
    const rows = this.#sql(statement("named")).all(stream, start, limit);
    return rows.map(({ number }) => number);
  }
}

function ofStatus(status: MatchStatus | undefined): { index: string; condition: string } {
  if (status === undefined) return { index: "", condition: "" };
  const condition = `AND m.status = '${status}'`;
  if (status === "counted") return { index: "", condition };
  // The index is forced and the status repeated: otherwise SQLite would scan all matches that count.
  return {
    index: "INDEXED BY matches_not_counted",
    condition: `${condition} AND m.status <> 'counted'`,
  };
}
