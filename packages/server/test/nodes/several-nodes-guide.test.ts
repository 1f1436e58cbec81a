import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readRepoFile } from "../docs/reference.ts";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import { blocksOf, missingCurl, runCommands } from "../support/guide-shell.ts";
import { metric, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { PostgresServer } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { skipOnPostgres } from "../support/store.ts";
import { issuerFlags } from "../support/tokens.ts";

const { test } = testsNeeding(missingPostgres, missingCurl);
const guide = readRepoFile("docs/guides/several-nodes.md");
const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

test("[CL1] [LG7] docs/guides/several-nodes.md: a folder is moved to PostgreSQL, and two nodes run on it", {
  skip: skipOnPostgres,
}, async () => {
  const [keys, check, copy, ...more] = blocksOf(guide);
  assert.deepEqual(more, []);
  const folder = tempFolder();
  const postgres = await PostgresServer.start();
  try {
    // Rename the test server's administrator to the guide's role.
    const sql = blocksOf(guide, "sql")[0].replaceAll(/(ROLE|OWNER) openseat/g, "$1 guided");
    for (const statement of sql.trim().split("\n")) await postgres.run(statement);
    const { port } = new URL(postgres.url());
    const DATABASE_URL = `postgres://guided:secret@127.0.0.1:${port}/openseat`;
    const here = {
      "npx openseat ": `"${process.execPath}" "${main}" `,
      "postgres://openseat": "postgres://guided",
      "db.example": `127.0.0.1:${port}`,
    };
    const place = { folder: folder.path, here };
    const game = await ChildServer.running(
      ["--data", join(folder.path, "data"), ...issuerFlags],
      async (client, server) => {
        const id = await client.newGame({ maxPlayers: 3 });
        assert.equal((await client.join(id, "ann")).status, 200);
        await server.signal("SIGTERM");
        return id;
      },
    );
    await runCommands(copy, place);
    const { stdout } = await runCommands(keys, place);
    assert.deepEqual(Object.keys(JSON.parse(stdout)).toSorted(), ["operatorKey", "serviceKey"]);

    const node = (work: Parameters<typeof ChildServer.running<void>>[1]) =>
      ChildServer.running(issuerFlags, work, { DATABASE_URL });
    await node((one) =>
      node(async (two, { url }) => {
        assert.equal((await two.join(game, "bob")).status, 200);
        const people = (await one.participants(game)).map(({ userId }) => userId);
        assert.deepEqual(people, ["ann", "bob"]);
        await until("both nodes are seen", async () => (await metric(two, "openseat_nodes")) === 2);
        const seen = await runCommands(check, { ...place, here: { "http://localhost:8080": url } });
        assert.match(seen.stdout, /"ready"/);
        assert.match(seen.stdout, /openseat_nodes 2$/m);
        assert.match(seen.stdout, /^openseat_database_up 1$/m);
      }),
    );
  } finally {
    await postgres.stop();
    folder.remove();
  }
});
