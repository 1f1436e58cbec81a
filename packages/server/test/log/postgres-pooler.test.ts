import assert from "node:assert/strict";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import type { StreamAdvanced } from "../../src/log/sharing.ts";
import { range } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { missingPgbouncer, Pgbouncer } from "../support/pgbouncer.ts";
import { freshDatabase, sharedPostgres } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { until } from "../support/test-clock.ts";
import { assertWhole, fill } from "./contract.ts";
import { Replica } from "./replica.ts";

const { describe, test } = testsNeeding(missingPostgres, missingPgbouncer);

/** A new database, and a pooler in front of it. */
async function throughPooler(
  settings: Readonly<Record<string, string>>,
  work: (pooled: string, direct: string) => Promise<void>,
): Promise<void> {
  const postgres = await sharedPostgres();
  const database = await freshDatabase(postgres);
  const pooler = await Pgbouncer.start(postgres, settings);
  try {
    const pooled = new URL(database.url);
    pooled.port = String(pooler.port);
    await work(pooled.href, database.url);
  } finally {
    await pooler.stop();
    await database.drop();
  }
}

const refusal = { name: "LogUnusable", message: /leads to a pooler in transaction mode,.* session mode/ };

describe("pgbouncer in between", () => {
  const pools: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "one server process": { default_pool_size: "1" },
    "its usual settings": {},
    "server processes in turn": { server_round_robin: "1", min_pool_size: "2", default_pool_size: "2" },
  };
  for (const [pool, settings] of Object.entries(pools))
    test(`[CL8] in transaction mode it is refused with a sentence, and no table is created (${pool})`, () =>
      throughPooler({ pool_mode: "transaction", ...settings }, async (pooled, direct) => {
        await assert.rejects(PostgresLog.open(pooled, { node: "a" }), refusal);
        const said: string[] = [];
        const log = await PostgresLog.open(direct, { node: "a", onChange: (text) => said.push(text) });
        await log.close();
        assert.match(said.join(), /was empty/);
      }));

  test("[CL8] in transaction mode it is refused by every one of many nodes that start at once", () =>
    throughPooler({ pool_mode: "transaction" }, async (pooled) => {
      const opened = range(12).map((index) => PostgresLog.open(pooled, { node: `node ${index}` }));
      await Promise.all(opened.map((each) => assert.rejects(each, refusal)));
    }));

  test("[CL8] in session mode nodes commit and notify each other as without it", () =>
    throughPooler({ pool_mode: "session" }, async (pooled) => {
      const [ann, bob] = await Promise.all(["ann", "bob"].map((node) => PostgresLog.open(pooled, { node })));
      try {
        await fill(ann, "game/a", [1, 2]);
        assert.equal(await new Replica(bob, "game/a").add("by bob"), "committed");
        assert.equal(await assertWhole(ann, "game/a"), 4);
        const received: (readonly StreamAdvanced[] | undefined)[] = [];
        bob.sharing.listen((advanced) => void received.push(advanced));
        await until(() => received.length === 1, "it listens");
        for (const log of [ann, bob, ann]) await log.sharing.heartbeat([]);
        ann.sharing.announce([{ stream: "game/a", version: 4, hasEffects: false }]);
        await until(() => received.length === 2, "it was told");
        assert.deepEqual(received[1], [{ stream: "game/a", version: 4, hasEffects: false }]);
      } finally {
        await Promise.all([ann, bob].map((log) => log.close()));
      }
    }));
});
