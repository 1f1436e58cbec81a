import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import { type Answer, type Client, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { freshDatabase, PostgresServer } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { issuerFlags } from "../support/tokens.ts";
import { OperationsPage, postgresStandIns as standIns } from "./operations-page.ts";

const { test } = testsNeeding(missingPostgres);

const running = <T>(url: string, work: (client: Client) => Promise<T>) =>
  ChildServer.running(issuerFlags, work, { DATABASE_URL: url });

/** Lets people join continuously during `work`. Returns the answers from before it. */
async function amidJoins(client: Client, game: string, lane: string, work: () => Promise<unknown>) {
  const answers = new Map<string, Answer>();
  let isOver = false;
  const joining = (async () => {
    for (let index = 0; !isOver; index++) {
      const person = `${lane}-${index}`;
      answers.set(person, await client.join(game, person, `key of ${person}`));
    }
  })();
  await until("some have joined", () => answers.size > 20);
  const before = [...answers];
  try {
    await work();
    const during = answers.size;
    await until("more have joined", () => answers.size > during);
  } finally {
    isOver = true;
    await joining;
  }
  return before;
}

test("[CL6] docs/operations/back-up-postgresql.md: both backups have everything acknowledged before them", async () => {
  const page = new OperationsPage("back-up-postgresql");
  const folder = tempFolder();
  const postgres = await PostgresServer.start();
  try {
    const { url } = await freshDatabase(postgres);
    const [{ data_directory: data }] = await postgres.run("SHOW data_directory");
    const variables = {
      ...{ DATABASE_URL: url, ADMIN_URL: postgres.url(), REPLICATION_URL: postgres.url() },
      ...{ RESTORED_URL: postgres.url("restored"), PGDATA: String(data) },
    };
    const run = (about: string) => page.run(about, { folder: folder.path, variables, standIns });
    const assertKept = (from: string, game: string, before: Iterable<[string, Answer]>) =>
      running(from, async (client) => {
        assert.equal((await client.get("/readyz")).status, 200);
        for (const [person, { status, text }] of before) {
          const again = await client.join(game, person, `key of ${person}`);
          assert.deepEqual([again.status, again.text], [status, text]);
        }
      });

    const { game, dumped } = await running(url, async (client) => {
      const game = await client.newGame({ maxPlayers: 1_000_000 });
      return { game, dumped: await amidJoins(client, game, "dumped", () => run("pg_dump")) };
    });
    assert.equal(statSync(join(folder.path, "openseat.dump")).mode & 0o077, 0);
    await run("pg_restore");
    await assertKept(variables.RESTORED_URL, game, dumped);

    const copied = await running(url, (client) =>
      amidJoins(client, game, "copied", () => run("pg_basebackup")),
    );
    await postgres.kill();
    await run("PGDATA");
    await postgres.restart();
    await assertKept(url, game, [...dumped, ...copied]);
    page.assertDone("");
  } finally {
    await postgres.stop();
    folder.remove();
  }
});
