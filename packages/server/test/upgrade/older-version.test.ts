import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { pino } from "pino";
import { type StartOptions, startOpenseat } from "../../src/boot/openseat.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { TwilioStandIn } from "../chat/twilio-stand-in.ts";
import { Client, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import type { FreshDatabase } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { skewedClock } from "../support/skewed-clock.ts";
import { issuerFlags } from "../support/tokens.ts";
import { streamsIn } from "./streams.ts";
import { releases, toldBy, withoutMessage } from "./written.ts";

test("[LG1] there is data of an older version", () => assert.ok(releases.length > 0));

for (const written of releases)
  describe(`a data folder that ${written.version} wrote`, () => {
    const { at, asked, streams } = written.folder;
    const folder = written.copyFolder();
    after(() => folder.remove());

    test("[LG1] [LG4] every stream has the same version, hash and state", async () => {
      const log = await SqliteLog.open(folder.path);
      const found = await streamsIn(log, Object.keys(streams)).finally(() => log.close());
      assert.deepEqual(found, streams);
    });

    test("[ID1] a server on it gives the answers that the older version gave", async () => {
      // Use the clock of that time: places in lines and keys would have expired today.
      const clock = skewedClock();
      clock.skip(at - Date.now());
      const twilio = await TwilioStandIn.start();
      const { accountSid, authToken, number, url } = twilio;
      const sms = [
        "--twilio-account-sid",
        accountSid,
        "--twilio-auth-token",
        authToken,
        "--sms-from",
        number,
      ];
      const flags = ["--public-url", "https://play.example.com", "--twilio-api", url, ...sms];
      try {
        await serving(["--data", folder.path, ...flags], { clock }, async (client) => {
          for (const { path, call, told } of asked)
            assert.deepEqual(
              withoutMessage(toldBy(await client.call(path, call))),
              withoutMessage(told),
              path,
            );
          await until("the message that was on its way", () => twilio.sent.length > 0);
        });
      } finally {
        await twilio.stop();
      }
    });
  });

/** Runs a server during `work`. */
async function serving(
  flags: readonly string[],
  options: StartOptions,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const config = loadConfig(["--port", "0", "--no-demo", ...issuerFlags, ...flags], {});
  const server = await startOpenseat(config, pino({ level: "silent" }), options);
  const client = new Client(server.url);
  try {
    await work(client);
  } finally {
    client.close();
    await server.stop();
  }
}

const onPostgres = testsNeeding(missingPostgres);

for (const written of releases)
  onPostgres.describe(`a PostgreSQL database that ${written.version} wrote`, () => {
    const { streams } = written.database;
    let database: FreshDatabase;
    onPostgres.before(async () => {
      database = await written.restoreDatabase();
    });
    onPostgres.after(() => database?.drop());

    onPostgres.test("[LG1] [LG4] every stream has the same version, hash and state", async () => {
      const log = await PostgresLog.open(database.url, { node: "a test" });
      const found = await streamsIn(log, Object.keys(streams)).finally(() => log.close());
      assert.deepEqual(found, streams);
    });

    onPostgres.test("[LD3] a server on it shows ladders and arenas as the older version did", async () => {
      assert.ok(written.timeless.length >= 7);
      await serving(["--database-url", database.url], {}, async (client) => {
        for (const { path, call, told } of written.timeless)
          assert.deepEqual(withoutMessage(toldBy(await client.call(path, call))), withoutMessage(told), path);
      });
    });
  });
