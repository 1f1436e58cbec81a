// The textbook way to join in PostgreSQL: a bounded counter, and a row per participant.
import type { ClientBase, Pool } from "pg";

/** No foreign keys, and only the index that prevents joining twice: others would only make it slower. */
export const schema = `
  CREATE TABLE games (
    id text PRIMARY KEY,
    title text NOT NULL,
    current integer NOT NULL DEFAULT 0,
    max integer NOT NULL
  ) WITH (fillfactor = 50);
  CREATE TABLE participants (
    game text NOT NULL,
    person text NOT NULL,
    position integer NOT NULL,
    joined_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (game, person)
  );
`;

export type Joined = { readonly title: string; readonly position: number };

/** The two ways to write it. */
export type Way = "transaction" | "statement";

export const ways: Readonly<
  Record<Way, (pool: Pool, game: string, person: string) => Promise<Joined | undefined>>
> = {
  async transaction(pool, game, person) {
    const client = await pool.connect();
    try {
      return await joinInTransaction(client, game, person);
    } finally {
      client.release();
    }
  },
  async statement(pool, game, person) {
    const { rows } = await pool.query<Joined>({ ...joinAtOnce, values: [game, person] });
    return rows[0];
  },
};

// The names make these prepared statements, which each connection parses once.
const takeSeat = {
  name: "take-seat",
  text: `UPDATE games SET current = current + 1 WHERE id = $1 AND current < max
         RETURNING title, current AS position`,
};
const addParticipant = {
  name: "add-participant",
  text: "INSERT INTO participants (game, person, position) VALUES ($1, $2, $3)",
};
const joinAtOnce = {
  name: "join-at-once",
  text: `WITH seat AS (
           UPDATE games SET current = current + 1 WHERE id = $1 AND current < max
           RETURNING title, current AS position
         ), added AS (
           INSERT INTO participants (game, person, position) SELECT $1, $2, position FROM seat
         )
         SELECT title, position FROM seat`,
};

async function joinInTransaction(
  client: ClientBase,
  game: string,
  person: string,
): Promise<Joined | undefined> {
  await client.query("BEGIN");
  try {
    const { rows } = await client.query<Joined>({ ...takeSeat, values: [game] });
    if (rows.length > 0) await client.query({ ...addParticipant, values: [game, person, rows[0].position] });
    await client.query("COMMIT");
    return rows[0];
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}
