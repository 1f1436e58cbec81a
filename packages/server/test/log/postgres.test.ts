import assert from "node:assert/strict";
import { inspect } from "node:util";
import { LogUnavailable, LogUnusable } from "../../src/log/log.ts";
import { Session } from "../../src/log/postgres/connection/session.ts";
import { migrations } from "../../src/log/postgres/migrations.ts";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { knownSchema, migrate, schemaOf } from "../../src/log/postgres/schema.ts";
import { appendAll } from "../support/append-all.ts";
import { testsNeeding } from "../support/needs.ts";
import { freshDatabase, postgresPassword, sharedPostgres } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { appendTo, assertWhole } from "./contract.ts";

const { describe, test } = testsNeeding(missingPostgres);

const bounds = { connectMs: 5_000, answerMs: 20_000, statementMs: 0 } as const;

/** An empty database, and a plain connection to it. */
async function withDatabase(work: (url: string, session: Session) => Promise<void>): Promise<void> {
  const database = await freshDatabase();
  const session = await Session.connect({ url: database.url, ...bounds });
  try {
    await work(database.url, session);
  } finally {
    await session.close();
    await database.drop();
  }
}

/** Opens and closes the log; returns the reported sentences. */
async function opened(url: string, node = "a"): Promise<string[]> {
  const said: string[] = [];
  const log = await PostgresLog.open(url, { node, onChange: (sentence) => said.push(sentence) });
  await log.close();
  return said;
}

describe("the tables in PostgreSQL", () => {
  test("[CL2] many nodes that open an empty database at once create its tables once", () =>
    withDatabase(async (url) => {
      const said: string[] = [];
      const names = Array.from({ length: 8 }, (_, number) => `node-${number}`);
      const logs = await Promise.all(
        names.map((node) => PostgresLog.open(url, { node, onChange: (sentence) => said.push(sentence) })),
      );
      try {
        assert.equal(said.length, 1);
        assert.match(said[0], /was empty/);
        await Promise.all(logs.map((log, number) => appendAll(log, [appendTo(`game/${number}`, 0)])));
        for (const number of logs.keys()) assert.equal(await assertWhole(logs[0], `game/${number}`), 1);
        assert.deepEqual(await opened(url), [], "nothing to report about up-to-date tables");
      } finally {
        await Promise.all(logs.map((log) => log.close()));
      }
    }));

  test("[CL2] an older schema is migrated, and nodes that know only the older one keep running with a warning", () =>
    withDatabase(async (url, session) => {
      const said: string[] = [];
      const say = (sentence: string) => void said.push(sentence);
      const older = [...migrations];
      const newer = [...older, { breaks: false, sql: "ALTER TABLE streams ADD COLUMN colour text" }];
      await migrate(session, say, older);
      const log = await PostgresLog.open(url, { node: "old" });
      try {
        await appendAll(log, [appendTo("game/a", 0)]);
        await migrate(session, say, newer);
        assert.deepEqual(said.slice(1), [
          `The database was of schema ${older.length} and has been migrated to ${newer.length}.`,
        ]);
        await appendAll(log, [appendTo("game/b", 0)]);
        assert.equal(await assertWhole(log, "game/a"), 1, "existing data stays");
        assert.equal(await assertWhole(log, "game/b"), 1, "the older node continues");
        const [sentence, ...others] = await opened(url, "another old one");
        assert.match(sentence, /schema .*can still use it/);
        assert.deepEqual(others, []);
      } finally {
        await log.close();
      }
    }));

  test("[CL2] a schema that is too new is refused with a sentence and left unchanged", () =>
    withDatabase(async (url, session) => {
      const breaking = [
        ...migrations,
        { breaks: true, sql: "ALTER TABLE batches RENAME COLUMN lines TO pages" },
      ];
      await migrate(session, undefined, breaking);
      const before = await schemaOf(session);
      assert.deepEqual(before, { version: knownSchema + 1, compatibleFrom: knownSchema + 1, closed: null });
      await assert.rejects(PostgresLog.open(url, { node: "a" }), (error: Error) => {
        assert.ok(error instanceof LogUnusable);
        assert.match(error.message, /newer Openseat .*Please start that version or a later one/);
        return true;
      });
      assert.deepEqual(await schemaOf(session), before);
    }));

  test("[CL2] a failed migration changes nothing", () =>
    withDatabase(async (_, session) => {
      await migrate(session);
      const failing = [
        ...migrations,
        { breaks: false, sql: "ALTER TABLE streams ADD COLUMN colour text" },
        { breaks: false, sql: "ALTER TABLE nothing ADD COLUMN colour text" },
      ];
      await assert.rejects(migrate(session, undefined, failing), LogUnavailable);
      assert.equal((await schemaOf(session))!.version, knownSchema);
      await migrate(session, undefined, failing.slice(0, -1));
      assert.equal((await schemaOf(session))!.version, knownSchema + 1);
    }));

  test("[LG7] closed tables are refused by every server with the reason", () =>
    withDatabase(async (url, session) => {
      await migrate(session);
      await session.query("UPDATE schema_version SET closed = 'A copy into it has not ended.'");
      await assert.rejects(PostgresLog.open(url, { node: "a" }), {
        name: "LogUnusable",
        message: "A copy into it has not ended.",
      });
    }));

  test("[CL4] a user without the right to create tables gets a sentence; owning the schema is enough", () =>
    withDatabase(async (url, session) => {
      const name = `guest_${process.pid}`;
      await session.query(`CREATE ROLE ${name} LOGIN PASSWORD '${postgresPassword}'`);
      const theirs = new URL(url);
      theirs.username = name;
      try {
        await assert.rejects(PostgresLog.open(theirs.href, { node: "a" }), {
          name: "LogUnavailable",
          message: /lacks a privilege/,
        });
        await session.query(`CREATE SCHEMA openseat AUTHORIZATION ${name}`);
        assert.match((await opened(theirs.href))[0], /was empty/);
      } finally {
        await session.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
      }
    }));
});

describe("a database that cannot be used", () => {
  const cases: [string, (url: URL) => void, RegExp][] = [
    [
      "a wrong password",
      (url) => Object.assign(url, { password: "wrong-word" }),
      /refuses the user name or the pass/,
    ],
    [
      "an unknown user",
      (url) => Object.assign(url, { username: "nobody-here" }),
      /refuses the user name or the pass/,
    ],
    ["no such database", (url) => Object.assign(url, { pathname: "/none" }), /no such database/],
    [
      "nothing that listens",
      (url) => Object.assign(url, { port: "1" }),
      /cannot be reached: nothing listens/,
    ],
  ];
  for (const [what, change, sentence] of cases) {
    test(`[CL4] ${what}: a sentence says so, without the password`, () =>
      withDatabase(async (good) => {
        const url = new URL(good);
        change(url);
        await assert.rejects(PostgresLog.open(url.href, { node: "a" }), (error: Error) => {
          assert.ok(error instanceof LogUnavailable, inspect(error));
          assert.match(error.message, sentence);
          assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(url.password));
          return true;
        });
      }));
  }

  test("[CL4] an invalid URL is a permanent failure and is not shown in the message", async () => {
    const addresses = ["postgres://ann:secret-word@[nowhere/x", "postgres://ann:secret-word@host:port/x"];
    for (const url of addresses) {
      await assert.rejects(PostgresLog.open(url, { node: "a" }), (error: Error) => {
        assert.ok(error instanceof LogUnusable, inspect(error));
        assert.match(error.message, /database URL is invalid/);
        assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes("secret-word"));
        return true;
      });
    }
  });

  test("[CL4] a database without free connections is reported with a sentence", () =>
    withDatabase(async (url, session) => {
      const name = `lonely_${process.pid}`;
      const text = `CREATE ROLE ${name} LOGIN PASSWORD '${postgresPassword}' CONNECTION LIMIT 0`;
      await session.query(text);
      try {
        const theirs = new URL(url);
        theirs.username = name;
        await assert.rejects(PostgresLog.open(theirs.href, { node: "a" }), {
          name: "LogUnavailable",
          message: /no free connections/,
        });
      } finally {
        await session.query(`DROP ROLE ${name}`);
      }
    }));
});

describe("what PostgreSQL has acknowledged", () => {
  test("[LG2] is durable even if the database's default is not to wait for the disk", async () => {
    const server = await sharedPostgres();
    for (const [given, expected] of Object.entries({
      off: "on",
      local: "on",
      on: "on",
      remote_apply: "remote_apply",
    })) {
      const database = await freshDatabase();
      const name = new URL(database.url).pathname.slice(1);
      await server.run(`ALTER DATABASE ${name} SET synchronous_commit = ${given}`);
      const log = await PostgresLog.open(database.url, { node: "a" });
      try {
        const asked = Array.from({ length: 9 }, () =>
          log.query("SELECT current_setting('synchronous_commit') AS it", []),
        );
        for (const [{ it }] of await Promise.all(asked)) assert.equal(it, expected, `where it was ${given}`);
      } finally {
        await log.close();
        await database.drop();
      }
    }
  });
});
