import assert from "node:assert/strict";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { knownSchema } from "../../src/log/postgres/schema.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { fill } from "../log/contract.ts";
import { tempFolder } from "../support/folder.ts";
import { testsNeeding } from "../support/needs.ts";
import { connectTo, type FreshDatabase, freshDatabase, postgresPassword } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { contentOfFolder, copied, queried, ran } from "./stores.ts";

const { after, before, describe, test } = testsNeeding(missingPostgres);

const password = "a-password-nobody-may-see";

describe("arguments of openseat copy", () => {
  test("[LG7] --help prints the usage", async () => {
    const { code, stdout, stderr } = await ran(["--help"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /Usage: npx openseat copy --from STORE --to STORE\n/);
  });

  for (const [args, told] of [
    [[], /^--from must be sqlite:FOLDER or the postgres:\/\/ address of a database\. /],
    [["--from", "sqlite:a"], /^--to must be sqlite:FOLDER or /],
    [["--from", "sqlite:", "--to", "sqlite:b"], /^--from must be /],
    [["--from", "sqlite:a", "--to", `mysql://u:${password}@h/d`], /^--to must be /],
    [["--from", "sqlite:a", "--to", `postgres://u:${password}%@h/d`], /^--to must be /],
    [["--from"], /^One of the arguments is unknown or has no value\./],
    [
      ["--quick", "--from", "sqlite:a", "--to", "sqlite:b"],
      /^One of the arguments is unknown or has no value\./,
    ],
    [
      [`postgres://u:${password}@h/d`, "--to", "sqlite:b"],
      /^One of the arguments is unknown or has no value\./,
    ],
  ] as const)
    test(`[LG7] [AU4] ${args.join(" ").replace(password, "…") || "nothing"}: wrong, in a sentence without the password`, async () => {
      const { code, stdout, stderr } = await ran(args);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, told);
      assert.match(stderr, / Run npx openseat copy --help for usage\.\n$/);
      assert.ok(!stderr.includes(password));
    });
});

/** Asserts a refusal with this sentence, without further output or changes. */
async function assertRefused(from: string, to: string, told: RegExp): Promise<void> {
  const { code, stdout, stderr } = await copied(from, to);
  assert.match(stderr, told);
  assert.match(stderr, /^[^\n]+\.\n$/, "it is one sentence, or a few");
  assert.deepEqual([code, stdout], [1, ""]);
  for (const secret of [password, postgresPassword]) assert.ok(!stderr.includes(secret), stderr);
}

describe("data folders that cannot be copied", () => {
  const root = tempFolder();
  const at = (name: string) => join(root.path, name);
  const addressOf = (name: string) => `sqlite:${at(name)}`;

  before(async () => {
    const log = await SqliteLog.open(at("good"));
    await fill(log, "game/a", [1, 2]);
    await log.close();
  });
  after(root.remove);

  const database = (name: string, sql: string) => {
    mkdirSync(at(name), { recursive: true });
    const db = new DatabaseSync(join(at(name), "openseat.db"));
    db.exec(sql);
    db.close();
  };

  test("[LG7] a missing source or one without a log is refused, and nothing is created there", async () => {
    await assertRefused(addressOf("none"), addressOf("new"), /^There is no log in .*none: /);
    mkdirSync(at("empty"));
    await assertRefused(addressOf("empty"), addressOf("new"), /^There is no log in .*empty: /);
    assert.deepEqual(readdirSync(at("empty")), []);
    mkdirSync(at("text"));
    writeFileSync(join(at("text"), "openseat.db"), "Dear diary, ".repeat(100));
    await assertRefused(
      addressOf("text"),
      addressOf("new"),
      /text\/openseat\.db is not a log of Openseat's\.\n/,
    );
    database("other", "CREATE TABLE cats (name TEXT)");
    await assertRefused(
      addressOf("other"),
      addressOf("new"),
      /other\/openseat\.db is not a log of Openseat's\.\n/,
    );
    assert.ok(!readdirSync(root.path).includes("new"));
  });

  test("[LG7] a source that a newer Openseat has written", async () => {
    database("newer", "PRAGMA user_version = 999");
    const told = /^The log in .*newer was written by a newer Openseat \(schema 999; this one knows \d+\)\. /;
    await assertRefused(addressOf("newer"), addressOf("new"), told);
  });

  test("[LG6] [LG7] a folder that a server runs on, at either end", async () => {
    const log = await SqliteLog.open(at("good"));
    await assertRefused(
      addressOf("good"),
      addressOf("new"),
      /^The data folder .*good is in use\. Please stop /,
    );
    await log.close();
    const other = await SqliteLog.open(at("busy"));
    await assertRefused(
      addressOf("good"),
      addressOf("busy"),
      /^The data folder .*busy is in use\. Please stop /,
    );
    await other.close();
  });

  test("[LG7] a target that holds a log, or the secrets of another server; and the same folder twice", async () => {
    await (await SqliteLog.open(at("taken"))).close();
    const before = contentOfFolder(at("good"));
    await assertRefused(addressOf("good"), addressOf("taken"), /^There is a log in .*taken already\. /);
    mkdirSync(at("secret"));
    writeFileSync(join(at("secret"), "signing-keys.json"), "{}");
    await assertRefused(
      addressOf("good"),
      addressOf("secret"),
      /signing-keys\.json belongs to another server/,
    );
    symlinkSync(at("good"), at("alias"));
    await assertRefused(addressOf("good"), addressOf("alias"), /are the same folder\.\n/);
    writeFileSync(at("file"), "");
    await assertRefused(addressOf("good"), addressOf("file"), /^The copy failed: EEXIST: /);
    assert.deepEqual(contentOfFolder(at("good")), before);
    assert.equal(
      (await copied(addressOf("good"), addressOf("new"))).code,
      0,
      "it can be copied all the same",
    );
  });
});

describe("databases that cannot be copied", () => {
  const root = tempFolder();
  const folder = `sqlite:${join(root.path, "good")}`;
  const unused = `sqlite:${join(root.path, "new")}`;
  let full: FreshDatabase;
  let empty: FreshDatabase;

  before(async () => {
    const log = await SqliteLog.open(join(root.path, "good"));
    await fill(log, "game/a", [1, 2]);
    await log.close();
    [full, empty] = [await freshDatabase(), await freshDatabase()];
    assert.equal((await copied(folder, full.url)).code, 0);
  });
  after(async () => {
    root.remove();
    for (const database of [full, empty]) await database?.drop();
  });

  const asKnown = `UPDATE schema_version SET version = ${knownSchema}`;

  /** Runs while the database is in this state. */
  const whileSo = async (sql: string, back: string, work: () => Promise<void>) => {
    await queried(full.url, sql);
    await work();
    await queried(full.url, back);
  };

  test("[LG7] [AU4] an unreachable database at either end gives a sentence without the password", async () => {
    const away = `postgres://ann:${password}@127.0.0.1:1/db?password=${password}`;
    const told =
      /^postgres:\/\/ann@127\.0\.0\.1:1\/db: The database cannot be reached: nothing listens there\.\n/;
    await assertRefused(away, unused, told);
    await assertRefused(folder, away, told);
    const refused = /: The database refuses the user name or the password\. Please check its address\.\n/;
    await assertRefused(folder, full.url.replace(postgresPassword, password), refused);
    await assertRefused(
      full.url.replace(/\w+$/, "none"),
      unused,
      /: There is no such database on that server\. /,
    );
  });

  test("[LG7] a source without a log, a newer one, and one that is half a copy", async () => {
    await assertRefused(empty.url, unused, /^There is no Openseat log in postgres:/);
    await whileSo("UPDATE schema_version SET version = 999", asKnown, () =>
      assertRefused(
        full.url,
        unused,
        /was written by a newer Openseat \(schema 999; this one knows \d+\)\. /,
      ),
    );
    await whileSo(
      "UPDATE schema_version SET closed = 'It is closed.'",
      "UPDATE schema_version SET closed = NULL",
      () => assertRefused(full.url, unused, /: It is closed\.\n/),
    );
  });

  test("[LG7] a database with a running node is refused at either end; departed nodes do not matter", async () => {
    const told = /^postgres:.* is in use by node-a\. Please stop all servers on it first; /;
    const node = await PostgresLog.open(full.url, { node: "node-a" });
    await node.sharing.heartbeat([]);
    // A minute in either direction, so that a stalled test machine does not change the outcome.
    await queried(full.url, "UPDATE nodes SET beaten_at = beaten_at + 60000");
    await assertRefused(full.url, unused, told);
    await assertRefused(folder, full.url, told);
    await queried(full.url, "UPDATE nodes SET beaten_at = beaten_at - 120000");
    assert.equal((await copied(full.url, unused)).code, 0);
    await node.sharing.heartbeat([]);
    await node.sharing.leave();
    await node.close();
    assert.equal((await copied(full.url, `${unused}-2`)).code, 0);
  });

  test("[LG7] a target that holds anything, tables of another version, and the same database twice", async () => {
    const log = await queried(full.url, "SELECT * FROM batches");
    await assertRefused(folder, full.url, /^There is a log in postgres:.* already\. /);
    await whileSo("UPDATE schema_version SET version = 998", asKnown, () =>
      assertRefused(
        folder,
        full.url,
        /has the tables of another Openseat \(schema 998; this one has \d+\)\. /,
      ),
    );
    const sameElsewhere = full.url.replace("127.0.0.1", "localhost");
    await assertRefused(full.url, sameElsewhere, /are the same database\.\n/);
    assert.deepEqual(await queried(full.url, "SELECT * FROM batches"), log);
  });

  test("[LG7] a target with only secrets is refused; one with only empty tables is accepted", async () => {
    const { url, drop } = await freshDatabase();
    const log = await PostgresLog.open(url, { node: "a test" });
    await log.close();
    await queried(url, `INSERT INTO secrets VALUES ('secrets', '{}')`);
    await assertRefused(folder, url, /^There is a log in postgres:.* already\. /);
    await queried(url, "DELETE FROM secrets");
    assert.equal((await copied(folder, url)).code, 0);
    await drop();
  });

  test("[LG7] a source with writers and a target of another copy are refused", async () => {
    const client = await connectTo(full.url, { options: "-c search_path=openseat" });
    await client.query("BEGIN");
    await client.query("UPDATE streams SET due = due");
    const other = await freshDatabase();
    const copying = await connectTo(other.url);
    await copying.query("SELECT pg_advisory_lock(7305806118)");
    await Promise.all([
      assertRefused(full.url, unused, /^postgres:.* is in use: somebody is writing to it\. /),
      assertRefused(folder, other.url, /^Another copy to postgres:.* is running\.\n/),
    ]);
    await client.end();
    await copying.end();
    await other.drop();
  });
});
