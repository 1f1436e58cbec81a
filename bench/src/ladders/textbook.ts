// The textbook way to store a match in PostgreSQL: one transaction that locks both players' rows in order.
import type { ClientBase } from "pg";

type Pair<T> = readonly [T, T];

/** The report: the players, and each player's points. */
export type ReportedMatch = { readonly players: Pair<string>; readonly scores: Pair<number> };

/** Both ratings, before and after. */
export type RecordedMatch = ReportedMatch & {
  readonly id: string;
  readonly before: Pair<number>;
  readonly after: Pair<number>;
};

const k = 32;

/** No foreign keys and no index for standings: they would only make it slower. */
export const schema = `
  CREATE TABLE players (
    id text PRIMARY KEY,
    rating double precision NOT NULL,
    games integer NOT NULL DEFAULT 0,
    version integer NOT NULL DEFAULT 0
  );
  CREATE TABLE matches (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE,
    first_player text NOT NULL,
    second_player text NOT NULL,
    first_score integer NOT NULL,
    second_score integer NOT NULL,
    reported_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE history (
    player text NOT NULL,
    match bigint NOT NULL,
    before double precision NOT NULL,
    after double precision NOT NULL,
    PRIMARY KEY (player, match)
  );
`;

// The names make these prepared statements, which each connection parses once.
const findKey = { name: "find-key", text: "SELECT id FROM matches WHERE key = $1" };
const lockPlayer = {
  name: "lock-player",
  text: "SELECT id, rating, version FROM players WHERE id = $1 FOR UPDATE",
};
const ratePlayer = {
  name: "rate-player",
  text: "UPDATE players SET rating = $3, games = games + 1, version = version + 1 WHERE id = $1 AND version = $2",
};
const addMatch = {
  name: "add-match",
  text: `INSERT INTO matches (key, first_player, second_player, first_score, second_score)
         VALUES ($1, $2, $3, $4, $5) RETURNING id`,
};
const addHistory = {
  name: "add-history",
  text: "INSERT INTO history (player, match, before, after) VALUES ($1, $2, $3, $4), ($5, $2, $6, $7)",
};

type PlayerRow = { readonly id: string; readonly rating: number; readonly version: number };

/** Records a match once per key; a repeated request returns the recorded match. */
export async function recordMatch(
  client: ClientBase,
  key: string,
  match: ReportedMatch,
): Promise<RecordedMatch> {
  await client.query("BEGIN");
  try {
    const recorded = (await findRecorded(client, key)) ?? (await record(client, key, match));
    await client.query("COMMIT");
    return recorded;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}

async function findRecorded(client: ClientBase, key: string): Promise<RecordedMatch | undefined> {
  const { rows } = await client.query<{ id: string }>({ ...findKey, values: [key] });
  return rows.length === 0 ? undefined : readMatch(client, rows[0].id);
}

async function readMatch(client: ClientBase, id: string): Promise<RecordedMatch> {
  const { rows } = await client.query(
    `SELECT first_player, second_player, first_score, second_score,
       one.before AS first_before, one.after AS first_after, two.before AS second_before, two.after AS second_after
     FROM matches
     JOIN history one ON one.match = id AND one.player = first_player
     JOIN history two ON two.match = id AND two.player = second_player
     WHERE id = $1`,
    [id],
  );
  const [row] = rows;
  return {
    id,
    players: [row.first_player, row.second_player],
    scores: [row.first_score, row.second_score],
    before: [row.first_before, row.second_before],
    after: [row.first_after, row.second_after],
  };
}

async function record(client: ClientBase, key: string, match: ReportedMatch): Promise<RecordedMatch> {
  const { players, scores } = match;
  const locked: PlayerRow[] = [];
  // Lock in the order of ids: two matches between the same players could otherwise deadlock.
  for (const player of [...players].sort())
    locked.push(...(await client.query<PlayerRow>({ ...lockPlayer, values: [player] })).rows);
  const [first, second] = players.map((player) => locked.find(({ id }) => id === player));
  if (first === undefined || second === undefined || first === second)
    throw new Error(`${players.join(" and ")} are not two players of this ladder.`);
  const change = eloChange([first.rating, second.rating], scores);
  const before = [first.rating, second.rating] as const;
  const after = [first.rating + change, second.rating - change] as const;
  for (const [which, { id, version }] of [first, second].entries()) {
    const { rowCount } = await client.query({ ...ratePlayer, values: [id, version, after[which]] });
    if (rowCount !== 1) throw new Error(`The rating of ${id} was changed concurrently.`);
  }
  const added = await client.query({ ...addMatch, values: [key, ...players, ...scores] });
  const { id } = added.rows[0];
  await client.query({
    ...addHistory,
    values: [players[0], id, before[0], after[0], players[1], before[1], after[1]],
  });
  return { id, ...match, before, after };
}

/** Elo: what the first player wins and the second loses. */
function eloChange([first, second]: Pair<number>, [firstScore, secondScore]: Pair<number>): number {
  const expected = 1 / (1 + 10 ** ((second - first) / 400));
  const score = firstScore === secondScore ? 0.5 : Number(firstScore > secondScore);
  return k * (score - expected);
}
