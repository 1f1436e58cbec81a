import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "../support/folder.ts";
import { until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { type FreshDatabase, freshDatabase } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { contentOfFolder, copied, queried } from "./stores.ts";
import { Town } from "./town.ts";

const { after, before, describe, test } = testsNeeding(missingPostgres);

describe("a log with all kinds of data, from SQLite to PostgreSQL and back", () => {
  const [home, back, again] = [tempFolder(), tempFolder(), tempFolder()];
  let town: Town;
  let database: FreshDatabase;
  let other: FreshDatabase;

  before(async () => {
    [database, other] = [await freshDatabase(), await freshDatabase()];
    town = await Town.found(home.path);
    town.twilio.faults.length = 0;
  });
  after(async () => {
    await town?.close();
    for (const folder of [home, back, again]) folder.remove();
    for (const each of [database, other]) await each?.drop();
  });

  test("[LG7] each copy is complete, has the same digest, and is equal table by table", async () => {
    const steps = [
      [`sqlite:${home.path}`, database.url],
      [database.url, other.url],
      [other.url, `sqlite:${back.path}`],
      [`sqlite:${back.path}`, `sqlite:${again.path}`],
    ];
    const reports = new Set<string>();
    for (const [from, to] of steps) {
      const { code, stdout, stderr } = await copied(from, to);
      assert.equal(code, 0, stderr);
      reports.add(stdout);
    }
    assert.match(
      [...reports].join(""),
      /^Copied \d+ streams, \d+ entries, [\d,]+ bytes; [^\n]*[0-9a-f]{64}; verified\.\n$/,
    );
    const source = contentOfFolder(home.path);
    const [{ seq }] = source.sqlite_sequence;
    assert.ok(seq > source.outbox.at(-1).number, "the last number was delivered and must not be reused");
    assert.deepEqual(await queried(database.url, "SELECT nextval('outbox_number_seq')::integer AS next"), [
      { next: seq + 1 },
    ]);
    for (const [name, rows] of Object.entries(source)) assert.ok(rows.length > 0, `nothing in ${name}`);
    assert.deepEqual(contentOfFolder(back.path), source);
    assert.deepEqual(contentOfFolder(again.path), source);
  });

  test("[AU4] files copied into a folder are readable by the owner only", () => {
    const names = readdirSync(again.path);
    assert.ok(names.includes("openseat.db") && names.includes("secrets.json"), names.join());
    const open = names.filter((name) => statSync(join(again.path, name)).mode & 0o077);
    assert.deepEqual(open, []);
  });

  for (const [kind, store] of [
    ["PostgreSQL", () => ["--database-url", database.url]],
    ["SQLite", () => ["--data", back.path]],
  ] as const)
    test(`[LG7] a server on the copy in ${kind} gives the same answers and continues where the other stopped`, () =>
      town.serve(store(), async (client) => {
        await town.assertSame(client);
        const isSent = () => town.twilio.sent.some(({ body }) => /^Bob challenges you to rock/.test(body));
        await until("what was on its way when the first server stopped", isSent);
        town.twilio.sent.length = 0;
        const game = await client.newGame();
        const { games } = (await client.get("/api/v1/games?limit=1")).body.data;
        assert.equal(games[0].id, game);
      }));
});
