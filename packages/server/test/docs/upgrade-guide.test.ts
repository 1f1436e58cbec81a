import assert from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test as plainTest } from "node:test";
import { migrations } from "../../src/log/postgres/migrations.ts";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import { blocksOf, missingCurl, runCommands } from "../support/guide-shell.ts";
import { until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { skipOnPostgres } from "../support/store.ts";
import { readRepoFile } from "./reference.ts";

const { test } = testsNeeding(missingCurl);
const guide = readRepoFile("docs/guides/upgrade.md");
const [copying, checking, restoring] = blocksOf(guide);
const [checked, tooNew] = blocksOf(guide, "text");
const withoutNumbers = (text: string) => text.replace(/\d+/g, "#");
const older = join(import.meta.dirname, "../upgrade/written-by-0.1.0");

test("[LG1] [LG4] docs/guides/upgrade.md: a folder of an older version is upgraded, and restored as it was", {
  skip: skipOnPostgres,
}, async () => {
  const folder = tempFolder();
  const data = join(folder.path, "data");
  const schema = () => {
    const db = new DatabaseSync(join(data, "openseat.db"));
    try {
      return db.prepare("PRAGMA user_version").get()!.user_version as number;
    } finally {
      db.close();
    }
  };
  mkdirSync(data);
  for (const file of ["openseat.db", "head.json", "secrets.json", "signing-keys.json"])
    cpSync(join(older, file), join(data, file));
  try {
    const before = schema();
    await runCommands(copying, { folder: folder.path });
    const said = await ChildServer.running(["--data", data], async (client, server) => {
      assert.equal((await client.get("/readyz")).status, 200);
      await until("the check has ended", () => server.stdout.includes(checked.trim()));
      const here = { "http://localhost:8080": server.url };
      const { stdout } = await runCommands(checking, { folder: folder.path, here });
      await server.signal("SIGTERM");
      return stdout;
    });
    assert.match(said, /"status":"ready"/);
    assert.match(said, /^openseat_damaged_rooms 0$/m);

    const db = new DatabaseSync(join(data, "openseat.db"));
    db.exec("PRAGMA user_version = 99");
    db.close();
    const refused = await ChildServer.run(["--port", "0", "--data", data]);
    assert.equal(refused.code, 1);
    assert.ok(withoutNumbers(refused.stderr).includes(withoutNumbers(tooNew).trim()), refused.stderr);

    await runCommands(restoring, { folder: folder.path });
    assert.equal(schema(), before);
    await ChildServer.running(["--data", data], async (client) =>
      assert.equal((await client.get("/readyz")).status, 200),
    );
  } finally {
    folder.remove();
  }
});

plainTest("docs/guides/upgrade.md names the migrations that break older nodes", () => {
  const [, table] = guide.split("| Migration of the database |");
  const rows = [...table.matchAll(/^\| (\d+) \| (\S+)/gm)].map(([, number, breaks]) => [
    Number(number),
    breaks.startsWith("yes"),
  ]);
  assert.deepEqual(
    rows,
    migrations.map(({ breaks }, index) => [index + 1, breaks]),
  );
});
