import type { Millis } from "@openseat/kernel";
import type { Clock } from "../clock.ts";
import { DatabaseSecrets } from "../config/database-secrets.ts";
import { ConfigError } from "../config/load-config.ts";
import type { SecretStore } from "../config/secret-store.ts";
import { connectionLimits } from "../log/postgres/connection/connections.ts";
import { Primary } from "../log/postgres/connection/primary.ts";
import { PostgresLog } from "../log/postgres/postgres-log.ts";
import { schemaOf } from "../log/postgres/schema.ts";
import type { Store, StoreTerms } from "./store.ts";

export async function openDatabaseStore(
  url: string,
  timeoutMs: number,
  { node, clock, logger, onFlush }: StoreTerms,
): Promise<Store> {
  const log = await PostgresLog.open(url, {
    node,
    onFlush,
    // The database cancels a statement before this node gives up, so that the answer says why.
    ...{ answerMs: timeoutMs, statementMs: Math.floor(timeoutMs * 0.8) },
    onChange: (sentence) => logger.info(sentence),
    onFailure: ({ detail }) => logger.warn(`the database cannot be used: ${detail}`),
    onRecovered: () => logger.info("the database can be used again"),
  });
  try {
    await followDatabase(log, clock);
  } catch (error) {
    await log.close();
    throw error;
  }
  return {
    log,
    ladders: log.ladders,
    secrets: new DatabaseSecrets((text, values) => log.query(text, values)),
  };
}

/**
 * Follow the database's clock before anything is decided: a machine whose clock is ahead would otherwise write times that
 * cannot be taken back.
 */
async function followDatabase(log: PostgresLog, clock: Clock): Promise<void> {
  const [{ at }] = await log.query("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at", []);
  clock.follow?.(Math.floor(Number(at)) as Millis);
}

export async function withDatabaseSecrets<Result>(
  url: string,
  work: (secrets: SecretStore) => Promise<Result>,
): Promise<Result> {
  const session = await new Primary(url).connect(connectionLimits);
  try {
    // Do not create the tables here: they would hold keys that no server uses, and the rotation would only seem to have worked.
    if (!(await schemaOf(session)))
      throw new ConfigError([
        "That database has no Openseat tables yet. Start the server once, or check DATABASE_URL.",
      ]);
    return await work(new DatabaseSecrets((text, values) => session.rows(text, values)));
  } finally {
    await session.close();
  }
}
