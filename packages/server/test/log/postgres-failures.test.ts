import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Millis } from "@openseat/kernel";
import { type Append, LogUnavailable } from "../../src/log/log.ts";
import { Session } from "../../src/log/postgres/connection/session.ts";
import { PostgresLog, type PostgresTerms } from "../../src/log/postgres/postgres-log.ts";
import { appendAll } from "../support/append-all.ts";
import { tempFolder } from "../support/folder.ts";
import { until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { againIfLate, type InTime, waitMsMax } from "../support/patience.ts";
import { type FreshDatabase, freshDatabase, PostgresServer } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { Relay } from "../support/relay.ts";
import { appendTo, assertWhole, fill } from "./contract.ts";

const { after, describe, test } = testsNeeding(missingPostgres);

/** A dedicated server, because failures here must not affect other tests. */
let own: Promise<PostgresServer> | undefined;
const ownServer = () => {
  own ??= PostgresServer.start();
  return own;
};
after(async () => (await own)?.stop());

interface Stage {
  readonly log: PostgresLog;
  readonly server: PostgresServer;
  readonly database: FreshDatabase;
  /** The reported states of the database, in order; "recovered" at the end of each outage. */
  readonly said: string[];
}

async function withLog(
  work: (stage: Stage) => Promise<void>,
  terms: Partial<PostgresTerms> = {},
  wayTo: (url: string) => string = (url) => url,
): Promise<void> {
  const server = await ownServer();
  const database = await freshDatabase(server);
  const said: string[] = [];
  const log = await PostgresLog.open(wayTo(database.url), {
    node: "a",
    onFailure: ({ message }) => said.push(message),
    onRecovered: () => said.push("recovered"),
    ...terms,
  });
  try {
    await work({ log, server, database, said });
  } finally {
    await log.close();
    await database.drop();
  }
}

const isThere = (log: PostgresLog) => () =>
  log.head("game/a").then(
    () => true,
    () => false,
  );

/** Asserts that every call of the log is refused, with this reason. */
async function assertRefused(log: PostgresLog, sentence: RegExp): Promise<void> {
  const asked = [
    ...[
      log.head("game/a"),
      log.read("game/a", 0, 9),
      log.line("game/a", 1),
      log.list({ kind: "game", limit: 9 }),
    ],
    ...[log.due(9 as Millis, 9), log.nextDue(0 as Millis), log.outbox(0, 9), log.delivered([1])],
    ...[log.loadSnapshot("game/a"), log.ladders.matches({ stream: "ladder/a", order: "newest", limit: 1 })],
    log.commit([{ stream: "game/a", after: 0, hash: "" }], () => assert.fail("nothing may be decided")),
    ...[log.heads(["game/a"]), log.sharing.heartbeat([])],
  ];
  for (const answer of await Promise.allSettled<unknown>(asked)) {
    assert.ok(answer.status === "rejected", "something was not refused");
    assert.ok(answer.reason instanceof LogUnavailable, String(answer.reason));
    assert.match(answer.reason.message, sentence);
  }
}

describe("an unavailable database", () => {
  test("[CL4] after a kill everything is refused, after a restart it recovers by itself, and both are reported once", () =>
    withLog(async ({ log, server, said }) => {
      await fill(log, "game/a", [3]);
      await server.kill();
      await until("the node to notice", async () => !(await isThere(log)()) && log.failure);
      await assertRefused(log, /cannot be reached: nothing listens/);
      assert.deepEqual(said, ["The database cannot be reached: nothing listens there."]);
      await server.restart();
      await until("the log to go on", isThere(log));
      assert.equal(log.failure, undefined);
      assert.equal(await assertWhole(log, "game/a"), 3);
      await appendAll(log, [appendTo("game/b", 0)]);
      await log.sharing.heartbeat([]);
      assert.equal(said.at(-1), "recovered");
      for (const [index, sentence] of said.entries()) assert.notEqual(sentence, said[index + 1]);
    }));

  test("[CL4] while it is unavailable, calls are refused at once without trying", () =>
    withLog(
      async ({ log, server }) => {
        await server.kill();
        await until("the node to notice", async () => !(await isThere(log)()) && log.failure);
        await server.restart();
        // A caller would succeed now. Only the background check may connect, and here it runs once per hour.
        for (let round = 0; round < 100; round++) await assertRefused(log, /nothing listens/);
      },
      { probeMs: 3_600_000 },
    ));

  test("[LG3] killed during appends, it has everything acknowledged and nothing half written", () =>
    withLog(async ({ log, server }) => {
      let last = appendTo("game/a", 0);
      let acknowledged = 0;
      for (let round = 0; round < 3; round++) {
        let isDown = false;
        const appending = (async () => {
          for (;;) {
            await appendAll(log, [last]);
            acknowledged = last.after + last.lines.length;
            last = appendTo("game/a", acknowledged, last.hash, { count: 3, text: "x".repeat(3_000) });
          }
        })().catch((error) => {
          assert.ok(error instanceof LogUnavailable, String(error));
          isDown = true;
        });
        const goal = acknowledged + 30;
        await until("some appends", () => acknowledged >= goal || isDown);
        await server.kill();
        await appending;
        await server.restart();
        await until("the log to go on", isThere(log));
        const version = await assertWhole(log, "game/a");
        // The last one may have been written without an answer.
        assert.ok(version === acknowledged || version === acknowledged + last.lines.length, `${version}`);
        const { hash } = (await log.head("game/a"))!;
        acknowledged = version;
        last = appendTo("game/a", version, hash);
      }
    }));

  test("[CL4] broken connections are replaced, and only calls under way fail", () =>
    withLog(async ({ log, server, said }) => {
      await fill(log, "game/a", [1]);
      const underWay = assert.rejects(log.query("SELECT pg_sleep(60)", []), LogUnavailable);
      // Until then its connection may still be opening; if the database ends it then, it counts as unavailable.
      const sleeping = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
      await until("the query to run", async () => (await server.run(sleeping)).length === 1);
      const cut =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'openseat'";
      await Promise.all([underWay, server.run(cut)]);
      await until("the log to go on", isThere(log));
      const outcome = async () => (await appendAll(log, [appendTo("game/b", 0)]).catch(() => undefined))?.[0];
      assert.equal(await until("an append to go through", outcome), "appended");
      assert.deepEqual(said, [], "the database was available all the time");
    }));
});

describe("a network that fails", () => {
  const bounds = { connectMs: 1_500, answerMs: 1_500, probeMs: 50 } as const;

  function withRelay(work: (relay: Relay, stage: Stage, inTime: InTime) => Promise<void>): Promise<void> {
    return againIfLate(async (inTime) => {
      const relay = await Relay.start((await ownServer()).port);
      const wayTo = (url: string) => Object.assign(new URL(url), { port: String(relay.port) }).href;
      try {
        await withLog((stage) => work(relay, stage, inTime), bounds, wayTo);
      } finally {
        await relay.close();
      }
    });
  }
  /** A database that takes longer counts as unavailable. */
  const answerMsMax = bounds.answerMs / 2;

  test("[CL4] lost packets time out, and then everything is refused until the network recovers", () =>
    withRelay(async (relay, { log, said }, inTime) => {
      await inTime(answerMsMax, () => fill(log, "game/a", [2]));
      relay.swallow();
      const asked = [
        log.head("game/a"),
        log.commit([{ stream: "game/b", after: 0, hash: "" }], () => [appendTo("game/b", 0)]),
        log.heads(["game/a"]),
      ];
      for (const answer of await Promise.allSettled<unknown>(asked)) {
        assert.ok(answer.status === "rejected" && answer.reason instanceof LogUnavailable);
        assert.match(answer.reason.message, /does not answer|took too long/);
      }
      await until("the node to notice", async () => !(await isThere(log)()) && log.failure);
      await assertRefused(log, /does not answer/);
      relay.heal();
      await inTime(answerMsMax, async () => {
        await until("the log to go on", isThere(log));
        assert.equal(await assertWhole(log, "game/a"), 2);
      });
      assert.deepEqual(said, ["The database cannot be reached: it does not answer.", "recovered"]);
    }));

  test("[CL4] connection resets are noticed at once", () =>
    withRelay(async (relay, { log, said }, inTime) => {
      await inTime(answerMsMax, () => fill(log, "game/a", [2]));
      relay.refuse();
      await until("the node to notice", async () => !(await isThere(log)()) && log.failure);
      await assertRefused(log, /cannot be reached/);
      relay.heal();
      await until("the log to go on", isThere(log));
      assert.equal(said.at(-1), "recovered");
    }));

  test("[LM2] the number of waiting calls is limited", async () => {
    const callsMax = 5;
    await withLog(
      async ({ log }) => {
        const asked = Array.from({ length: callsMax + 1 }, () => log.query("SELECT pg_sleep(0.2)", []));
        const refused = asked.pop()!;
        await assert.rejects(refused, { name: "LogUnavailable", message: /Too many/ });
        await Promise.all(asked);
        await log.head("game/a");
      },
      { callsMax },
    );
  });
});

describe("a database that cannot be written to", () => {
  test("[CL4] a read-only database refuses with a sentence, and recovers by itself once writable", () =>
    withLog(async ({ log, server, said }) => {
      await fill(log, "game/a", [1]);
      const set = async (value: "on" | "off") => {
        await server.run(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
        await server.run("SELECT pg_reload_conf()");
      };
      const refusal = () =>
        appendAll(log, [appendTo("game/none", 7)]).then(
          () => undefined,
          (error: Error) => error,
        );
      await set("on");
      try {
        const error = await until("a refusal", refusal);
        assert.ok(error instanceof LogUnavailable);
        await assertRefused(log, /The database is read-only/);
        await assert.rejects(PostgresLog.open(server.url(), { node: "b" }), /The database is read-only/);
      } finally {
        await set("off");
      }
      await until("the log to go on", isThere(log));
      assert.deepEqual(said.slice(1), ["recovered"]);
      await appendAll(log, [appendTo("game/b", 0)]);
      assert.equal(await assertWhole(log, "game/a"), 1);
    }));

  test("[LG3] [CL4] a full database refuses with a sentence, keeps everything acknowledged, and recovers once there is space", async (t) => {
    const folder = tempFolder();
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", folder.path], { stdio: "pipe" });
    } catch {
      folder.remove();
      return t.skip("a small disk cannot be mounted, which needs root on Linux");
    }
    try {
      await onSmallDisk(folder.path);
    } finally {
      execFileSync("umount", ["-l", folder.path]);
      folder.remove();
    }
  });
});

async function onSmallDisk(folder: string): Promise<void> {
  const server = await ownServer();
  const ballast = join(folder, "ballast");
  server.give(folder);
  await server.run(`CREATE TABLESPACE small LOCATION '${folder}'`);
  await server.run("CREATE DATABASE small TABLESPACE small");
  const said: string[] = [];
  const log = await PostgresLog.open(server.url("small"), {
    node: "a",
    onFailure: ({ message }) => said.push(message),
    onRecovered: () => said.push("recovered"),
  });
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(ballast, new Uint8Array(bavail * bsize - 1_500_000));
  try {
    let acknowledged = appendTo("game/a", 0);
    await appendAll(log, [acknowledged]);
    const next = (): Append =>
      appendTo("game/a", acknowledged.after + acknowledged.lines.length, acknowledged.hash, {
        count: 3,
        // Random bytes, which PostgreSQL cannot compress.
        text: randomBytes(7_500).toString("base64"),
      });
    const failure = await untilFull(async () => {
      const append = next();
      assert.deepEqual(await appendAll(log, [append]), ["appended"]);
      acknowledged = append;
    });
    assert.match(failure.message, /The disk of the database is full/);
    await assertRefused(log, /The disk of the database is full/);
    assert.deepEqual(said, ["The disk of the database is full."]);
    rmSync(ballast);
    await until("the log to go on", isThere(log));
    const version = acknowledged.after + acknowledged.lines.length;
    assert.equal(await assertWhole(log, "game/a"), version);
    assert.deepEqual(await appendAll(log, [next()]), ["appended"]);
    assert.equal(await assertWhole(log, "game/a"), version + 3);
    assert.equal(said.at(-1), "recovered");
  } finally {
    await log.close();
    await server.run("DROP DATABASE small WITH (FORCE)");
    await server.run("DROP TABLESPACE small");
  }
}

async function untilFull(append: () => Promise<void>): Promise<Error> {
  for (let round = 0; round < 1_000; round++) {
    try {
      await append();
    } catch (error) {
      assert.ok(error instanceof LogUnavailable, String(error));
      return error;
    }
  }
  return assert.fail("the disk was never full");
}

describe("a transaction that the database has rolled back", () => {
  test("[LG2] COMMIT answered with ROLLBACK counts as not written", async () => {
    const server = await ownServer();
    const session = await Session.connect({
      ...{ url: server.url(), connectMs: waitMsMax, answerMs: waitMsMax, statementMs: 0 },
    });
    const fails = "SELECT 1 / 0";
    try {
      // After a failed statement, the end of the transaction does not report the failure.
      await session.query("BEGIN");
      await assert.rejects(session.query(fails), LogUnavailable);
      await assert.rejects(session.commit(), LogUnavailable);
      const forgetful = session.transaction(() => session.query(fails).catch(() => undefined));
      await assert.rejects(forgetful, LogUnavailable);
      await session.transaction(() => session.query("SELECT 1"));
    } finally {
      await session.close();
    }
  });
});
