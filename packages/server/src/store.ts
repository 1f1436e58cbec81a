import type { Millis } from "@openseat/kernel";
import type { Logger } from "pino";
import type { Clock } from "./clock.ts";
import { DatabaseSecrets } from "./config/database-secrets.ts";
import { FolderSecrets } from "./config/folder-secrets.ts";
import { ConfigError } from "./config/load-config.ts";
import type { SecretStore } from "./config/secret-store.ts";
import type { Config } from "./config/settings.ts";
import type { FlushObserver, Log } from "./log/log.ts";
import { connectionLimits } from "./log/postgres/connections.ts";
import { PostgresLog } from "./log/postgres/postgres-log.ts";
import { schemaOf } from "./log/postgres/schema.ts";
import { Session } from "./log/postgres/session.ts";
import { SqliteLog } from "./log/sqlite/sqlite-log.ts";

/** What a node keeps, and where: in its data folder, or in the database that it shares with others. */
export interface Store {
  readonly log: Log;
  readonly secrets: SecretStore;
}

export interface StoreTerms {
  /** The name by which the other nodes know this one. */
  readonly node: string;
  /** Goes by the clock of the database from then on, where there is one. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onFlush: FlushObserver;
}

export async function openStore({ data, databaseUrl }: Config, terms: StoreTerms): Promise<Store> {
  if (databaseUrl === undefined)
    return { log: await SqliteLog.open(data, terms.onFlush), secrets: new FolderSecrets(data) };
  const { node, clock, logger, onFlush } = terms;
  const log = await PostgresLog.open(databaseUrl, {
    node,
    onFlush,
    onChange: (sentence) => logger.info(sentence),
    onTrouble: ({ message }) => logger.warn(`the database cannot be used: ${message}`),
    onRecovered: () => logger.info("the database can be used again"),
  });
  try {
    await followDatabase(log, clock);
  } catch (error) {
    await log.close();
    throw error;
  }
  return { log, secrets: new DatabaseSecrets((text, values) => log.query(text, values)) };
}

/** Before anything is decided: a machine whose clock is ahead would take time with it that does not come back. */
async function followDatabase(log: PostgresLog, clock: Clock): Promise<void> {
  const [{ at }] = await log.query("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at", []);
  clock.follow?.(Math.floor(Number(at)) as Millis);
}

/** For commands, which need nothing else and may run beside a server. */
export async function withSecrets<Result>(
  { data, databaseUrl }: Config,
  work: (secrets: SecretStore) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl === undefined) return work(new FolderSecrets(data));
  const session = await Session.connect({ ...connectionLimits, url: databaseUrl });
  try {
    // Made here, the tables would hold keys that no server uses, and the operator would think it done.
    if (!(await schemaOf(session)))
      throw new ConfigError(["There is no Openseat in that database yet. Please check DATABASE_URL."]);
    return await work(
      new DatabaseSecrets(async (text, values) => (await session.query({ text, values })).rows),
    );
  } finally {
    await session.close();
  }
}
