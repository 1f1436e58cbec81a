import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { GameEvent } from "@openseat/kernel";
import { decodeEntry } from "@openseat/server";
import pg from "pg";
import { personNumber } from "../persons.ts";
import type { LoggedJoin } from "./join-ledger.ts";

const batchesPerPage = 2_000;

type Batch = { readonly name: string; readonly lines: string };

/** All joins in the log of a stopped server, read with plain SQL. */
export function* joinsInFolder(folder: string): Iterable<LoggedJoin> {
  const database = new DatabaseSync(join(folder, "openseat.db"), { readOnly: true });
  try {
    const batches = database
      .prepare("SELECT name, lines FROM batches JOIN streams ON stream = number WHERE kind = 'game'")
      .iterate();
    for (const batch of batches) yield* joinsIn(batch as Batch);
  } finally {
    database.close();
  }
}

/** The same for a database shared by nodes. */
export async function* joinsInDatabase(url: string): AsyncIterable<LoggedJoin> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("BEGIN");
    await client.query(`
      DECLARE joins CURSOR FOR
      SELECT name, lines FROM openseat.batches JOIN openseat.streams ON stream = number WHERE kind = 'game'`);
    for (;;) {
      const { rows } = await client.query<Batch>(`FETCH ${batchesPerPage} FROM joins`);
      for (const batch of rows) yield* joinsIn(batch);
      if (rows.length < batchesPerPage) break;
    }
  } finally {
    await client.end();
  }
}

function* joinsIn({ name, lines }: Batch): Iterable<LoggedJoin> {
  for (const line of lines.split("\n"))
    for (const event of decodeEntry<GameEvent>(line).events)
      if (event.type === "joined")
        yield { game: name, person: personNumber(event.person), seat: event.ticket };
}
