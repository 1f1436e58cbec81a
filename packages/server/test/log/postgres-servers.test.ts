import assert from "node:assert/strict";
import { inspect } from "node:util";
import { LogUnavailable } from "../../src/log/log.ts";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { appendAll } from "../support/append-all.ts";
import { until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { freshDatabase, PostgresServer, postgresPassword } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { Relay } from "../support/relay.ts";
import { appendTo, assertWhole } from "./contract.ts";

const { after, before, describe, test } = testsNeeding(missingPostgres);

/** Nothing listens on the first of these ports. */
const nowhere = 1;

/** The server that `openseat` is connected to. */
async function connectionsTo(server: PostgresServer): Promise<number> {
  const [{ n }] = await server.run(
    "SELECT count(*)::integer AS n FROM pg_stat_activity WHERE application_name = 'openseat'",
  );
  return Number(n);
}

describe("several servers in a database URL", () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let name: string;
  const urlOf = (...ports: number[]) => {
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
    return `postgres://openseat:${postgresPassword}@${hosts}/${name}?target_session_attrs=read-write`;
  };
  before(async () => {
    primary = await PostgresServer.start();
    name = new URL((await freshDatabase(primary)).url).pathname.slice(1);
    standby = await primary.standby(primary.port, "standby");
  });
  after(async () => {
    await primary?.stop();
    await standby?.stop();
  });

  test("[CL7] the primary is found behind a server that is gone and a standby", async () => {
    const log = await PostgresLog.open(urlOf(nowhere, standby.port, primary.port), { node: "a" });
    await appendAll(log, [appendTo("game/a", 0)]);
    assert.equal(await assertWhole(log, "game/a"), 1);
    await log.close();
  });

  test("[CL7] a server that does not answer times out after its share of the time", async () => {
    const silent = await Relay.start(primary.port);
    silent.swallow();
    try {
      const url = urlOf(silent.port, primary.port);
      const log = await PostgresLog.open(url, { node: "a", connectMs: 4_000 });
      await appendAll(log, [appendTo("game/b", 0)]);
      await log.close();
    } finally {
      await silent.close();
    }
  });

  test("[CL7] [AU4] without a primary, the error lists the tried servers and never the password", async () => {
    await standby.untilReplayed(primary);
    await assert.rejects(
      PostgresLog.open(urlOf(nowhere, standby.port), { node: "a" }),
      (error: LogUnavailable) => {
        assert.ok(error instanceof LogUnavailable, inspect(error));
        assert.doesNotMatch(error.message, /127\.0\.0\.1/, "anybody may ask for it");
        assert.match(error.detail, /127\.0\.0\.1:1: .*nothing listens/);
        assert.ok(error.detail.includes(`127.0.0.1:${standby.port}: The database is read-only`));
        assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(postgresPassword));
        return true;
      },
    );
  });

  test("[CL7] after a failover all connections lead to the new primary, even if the former one still answers", async () => {
    const log = await PostgresLog.open(urlOf(primary.port, standby.port), { node: "a" });
    try {
      await Promise.all(Array.from({ length: 9 }, () => log.query("SELECT pg_sleep(0.1)", [])));
      await appendAll(log, [appendTo("game/c", 0)]);
      await log.sharing.heartbeat([]);
      await standby.untilReplayed(primary);
      // A former primary that was fenced but not stopped still answers every read.
      await primary.run("ALTER SYSTEM SET default_transaction_read_only = on");
      await primary.run("SELECT pg_reload_conf()");
      await standby.promote();
      await until("a heartbeat that is written", () =>
        log.sharing.heartbeat([]).then(
          () => true,
          () => false,
        ),
      );
      assert.equal(await assertWhole(log, "game/c"), 1);
      await until("no connection to the former primary", async () => (await connectionsTo(primary)) === 0);
      assert.ok((await connectionsTo(standby)) > 0);
      assert.equal(log.failure, undefined);
    } finally {
      await log.close();
    }
  });
});
