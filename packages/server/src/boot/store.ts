import type { Clock } from "../clock.ts";
import { FolderSecrets } from "../config/folder-secrets.ts";
import type { SecretStore } from "../config/secret-store.ts";
import type { Config } from "../config/settings.ts";
import type { LadderStore } from "../log/ladder-store.ts";
import type { FlushObserver, Log } from "../log/log.ts";
import { SqliteLog } from "../log/sqlite/sqlite-log.ts";
import type { Logger } from "../logger.ts";

/** Where a node keeps its data: in its data folder, or in a database that it shares with other nodes. */
export interface Store {
  readonly log: Log;
  readonly ladders: LadderStore;
  readonly secrets: SecretStore;
}

export interface StoreTerms {
  /** The name by which other nodes know this one. */
  readonly node: string;
  /** Follows the database's clock from then on, if there is a database. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onFlush: FlushObserver;
}

export async function openStore(config: Config, terms: StoreTerms): Promise<Store> {
  const { data, databaseUrl, storeTimeoutMs: timeoutMs, acceptLostChanges } = config;
  if (databaseUrl !== undefined)
    return (await databaseStore()).openDatabaseStore(databaseUrl, timeoutMs, terms);
  const { logger, onFlush } = terms;
  const log = await SqliteLog.open(data, {
    timeoutMs,
    onFlush,
    acceptsLoss: acceptLostChanges,
    onNotice: (notice) => logger.warn(notice),
    onFailure: ({ message }) => logger.error(`the data folder cannot be used: ${message}`),
    onRecovered: () => logger.info("the data folder can be used again"),
  });
  return { log, ladders: log.ladders, secrets: new FolderSecrets(data) };
}

/** For commands, which need only the secrets and may run beside a server. */
export async function withSecrets<Result>(
  { data, databaseUrl }: Config,
  work: (secrets: SecretStore) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl !== undefined) return (await databaseStore()).withDatabaseSecrets(databaseUrl, work);
  return work(new FolderSecrets(data));
}

/** Load the database code only if there is a database. */
function databaseStore() {
  return import("./database-store.ts");
}
