import type { LadderRows, MatchRow, MatchStatus, PlayerNumber, Turn } from "@openseat/kernel";
import type { LadderStore, MatchQuery, MatchRecord, Played, PlayedQuery } from "../ladder-store.ts";
import type { StreamName } from "../log.ts";
import { matchColumns, matchOf, matchRatings } from "../match-rows.ts";
import type { Connections } from "./connection/connections.ts";
import type { Statement } from "./connection/session.ts";

/**
 * The ladder, if this transaction has written to it: rows of entries that were not appended, since somebody else was first,
 * must not be there either.
 */
const written = "streams.name = $1 AND streams.xmin = pg_current_xact_id()::xid";

/**
 * Where the row with this key is. By the whole key, one after the other: left to choose, PostgreSQL would go through the whole
 * ladder for a few of its rows, as is quickest while it is empty, and that is when it chooses.
 */
const placeOf = (table: string, key: readonly string[]): string =>
  `CROSS JOIN LATERAL (SELECT ctid FROM ${table} WHERE ladder = streams.number
      ${key.map((column) => `AND ${column} = given.${column}`).join(" ")} LIMIT 1) AS place`;

/** How each kind of row is written, with its columns as they come. */
const writing: Readonly<Record<keyof LadderRows, string>> = {
  players: `
    INSERT INTO players (ladder, number, person, name, enrolled_at, left_at)
    SELECT streams.number, given.* FROM streams,
      unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[]) AS given WHERE ${written}
    ON CONFLICT (ladder, number) DO UPDATE SET name = excluded.name, left_at = excluded.left_at`,
  standings: `
    UPDATE players SET rating = given.rating, deviation = given.deviation, volatility = given.volatility,
      wins = given.wins, draws = given.draws, losses = given.losses, version = given.version
    FROM streams CROSS JOIN unnest($2::bigint[], $3::float8[], $4::float8[], $5::float8[], $6::bigint[], $7::bigint[],
      $8::bigint[], $9::bigint[]) AS given (number, rating, deviation, volatility, wins, draws, losses, version)
      ${placeOf("players", ["number"])}
    WHERE ${written} AND players.ctid = place.ctid`,
  matches: `
    INSERT INTO matches (ladder, number, key, turn, status, first, second, first_score, second_score, reporter, reported_at,
      played_at, changed_at)
    SELECT streams.number, given.* FROM streams, unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::bigint[],
      $7::bigint[], $8::bigint[], $9::bigint[], $10::text[], $11::bigint[], $12::bigint[], $13::bigint[]) AS given
    WHERE ${written}
    ON CONFLICT (ladder, number) DO UPDATE SET turn = excluded.turn, status = excluded.status,
      changed_at = excluded.changed_at`,
  statuses: `
    UPDATE matches SET status = given.status, changed_at = given.changed_at
    FROM streams CROSS JOIN unnest($2::bigint[], $3::text[], $4::bigint[]) AS given (number, status, changed_at)
      ${placeOf("matches", ["number"])}
    WHERE ${written} AND matches.ctid = place.ctid`,
  ratings: `
    INSERT INTO rating_history (ladder, turn, player, match, previous, opponent, before, after, deviation, volatility)
    SELECT streams.number, given.* FROM streams, unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
      $7::float8[], $8::float8[], $9::float8[], $10::float8[]) AS given
    WHERE ${written}`,
  recounts: `
    UPDATE rating_history AS held SET first_change = coalesce(held.first_change, held.after - held.before),
      before = given.before, after = given.after, deviation = given.deviation, volatility = given.volatility
    FROM streams CROSS JOIN unnest($2::bigint[], $3::bigint[], $4::float8[], $5::float8[], $6::float8[], $7::float8[])
      AS given (turn, player, before, after, deviation, volatility)
      ${placeOf("rating_history", ["turn", "player"])}
    WHERE ${written} AND held.ctid = place.ctid`,
};

/** How many of its first columns tell a row from the others. */
const keyWidth = { players: 1, standings: 1, matches: 1, statuses: 1, ratings: 2, recounts: 2 } as const;

/** Players first: what follows is theirs. */
const order = ["players", "standings", "matches", "statuses", "ratings", "recounts"] as const;

/** Rows that one statement writes: more would take it longer than it may. */
const rowsMax = 5_000;

/** The rows of a ladder, to follow its entries in the same transaction. */
export function ladderStatements(ladder: StreamName, rows: LadderRows): Statement[] {
  return order.flatMap((kind) => {
    const all = once(kind, rows[kind]);
    const pages = Array.from({ length: Math.ceil(all.length / rowsMax) }, (_, page) =>
      all.slice(page * rowsMax, (page + 1) * rowsMax),
    );
    return pages.map((page) => {
      const columns = page[0].map((_, column) => page.map((row) => row[column]));
      return { text: writing[kind], values: [ladder, ...columns] };
    });
  });
}

type AnyRow = readonly (string | number | null)[];

/** One statement writes a row once: of several with the same key the last counts, as when each were written by itself. */
function once(kind: keyof LadderRows, rows: readonly AnyRow[]): readonly AnyRow[] {
  const kept = new Map<string, AnyRow>();
  for (const row of rows) {
    const key = row.slice(0, keyWidth[kind]).join();
    const first = kept.get(key);
    kept.set(key, first && kind === "matches" ? counted(first, row) : row);
  }
  return [...kept.values()];
}

/** Of a match that was reported before, only that it counts now is new. */
function counted(reported: AnyRow, row: AnyRow): AnyRow {
  const [, , turn, status] = row as unknown as MatchRow;
  return reported.with(2, turn).with(3, status).with(-1, row.at(-1)!);
}

const thisLadder = "(SELECT number FROM streams WHERE name = $1)";

const isWanted = "($4::bigint IS NULL OR opponent = $4)";

/** Steps from match to match in one go: more would keep others waiting. */
const stepsMax = 200;

/** Matches, players and ratings as rows, so that they can be asked for by query: by the server, and by operators. */
export class LadderTables implements LadderStore {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async matches({ stream, status, order, beyond, limit }: MatchQuery): Promise<MatchRecord[]> {
    const [comparison, direction] = order === "newest" ? ["<", "DESC"] : [">", "ASC"];
    const from = beyond ?? (order === "newest" ? Number.MAX_SAFE_INTEGER : 0);
    const { rows } = await this.#connections.query({
      text: `SELECT ${matchColumns} FROM matches AS m ${matchRatings}
        WHERE m.ladder = ${thisLadder} ${ofStatus(status)} AND m.number ${comparison} $2
        ORDER BY m.number ${direction} LIMIT $3`,
      values: [stream, from, limit],
    });
    return rows.map(matchOf);
  }

  /** From turn to turn: each row says in which the player had played before. */
  async played({ stream, player, from, opponent, limit }: PlayedQuery): Promise<Played> {
    const values = [stream, from, player, opponent ?? null, limit];
    const { rows } = await this.#connections.query({ text: walking, values });
    const steps = rows.toSorted((a: Step, b: Step) => a.step - b.step);
    const last = steps.at(-1) as Step | undefined;
    // One that could go on, and has not, has found nothing there.
    const hasStopped = last && (last.found >= limit || last.step >= stepsMax);
    const matches = steps.filter(({ wanted }: Step) => wanted).map(matchOf);
    return { matches, next: hasStopped ? last.previous : null };
  }

  async playersNamed(stream: StreamName, start: string, limit: number): Promise<PlayerNumber[]> {
    const { rows } = await this.#connections.query({
      text: `SELECT number FROM players WHERE ladder = ${thisLadder} AND left_at IS NULL
        AND lower(name) >= lower($2 COLLATE "C") AND lower(name) < lower($2 COLLATE "C") || chr(x'10FFFF'::integer)
        ORDER BY lower(name), number LIMIT $3`,
      values: [stream, start, limit],
    });
    return rows.map(({ number }) => number);
  }
}

/** As a text of its own for each, and said twice: so that the index of those that do not count is found for them. */
function ofStatus(status: MatchStatus | undefined): string {
  if (status === undefined) return "";
  return `AND m.status = '${status}'${status === "counted" ? "" : " AND m.status <> 'counted'"}`;
}

/** Of a player's way back from match to match. */
interface Step {
  readonly step: number;
  readonly found: number;
  readonly wanted: boolean;
  readonly previous: Turn | null;
}

/** Each step by the whole key: left to choose, PostgreSQL would look at all that the player has played at each of them. */
const walking = `
  WITH RECURSIVE way AS (
    SELECT 1 AS step, match, previous, ${isWanted} AS wanted, ${isWanted}::integer AS found
      FROM rating_history WHERE ladder = ${thisLadder} AND turn = $2 AND player = $3
    UNION ALL
    SELECT step + 1, next.match, next.previous, next.wanted, found + next.wanted::integer
      FROM way CROSS JOIN LATERAL (
        SELECT match, previous, ${isWanted} AS wanted
          FROM rating_history WHERE ladder = ${thisLadder} AND turn = way.previous AND player = $3 LIMIT 1
      ) AS next
      WHERE step < ${stepsMax} AND found < $5
  )
  SELECT step, found, wanted, previous, played.*
    FROM way CROSS JOIN LATERAL (
      SELECT ${matchColumns} FROM matches AS m ${matchRatings}
        WHERE m.ladder = ${thisLadder} AND m.number = way.match LIMIT 1
    ) AS played
    WHERE wanted OR step = (SELECT max(step) FROM way)`;
