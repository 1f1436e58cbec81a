import type { Clock } from "../clock.ts";
import { KeyRing } from "../config/key-ring.ts";
import { loadSecrets } from "../config/secrets.ts";
import type { Config } from "../config/settings.ts";
import { LogUnavailable } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import type { Ingress } from "../transport/http/connections/ingress.ts";
import { Metrics } from "../transport/http/metrics.ts";
import { FaultLog } from "./fault-log.ts";
import { type OnWaiting, Waiting } from "./startup-retry.ts";
import { openStore } from "./store.ts";

/** What must exist before anything else can be built. */
export type Foundation = Readonly<Omit<Awaited<ReturnType<typeof openFoundation>>, "waiting">>;

interface FoundationOptions {
  readonly node: string;
  readonly onWaiting: OnWaiting;
  readonly clock: Clock;
  readonly ingress: Ingress;
  /** Ends a start that waits for the database. */
  readonly signal?: AbortSignal | undefined;
}

/** Opens the store and reads the secrets and signing keys. Waits for the database if there is one. */
export async function openFoundation(
  config: Config,
  logger: Logger,
  { node, onWaiting, clock, ingress, signal }: FoundationOptions,
) {
  const metrics = new Metrics();
  const faults = new FaultLog(logger, clock);
  const noteFault = (error: unknown, what: string) => {
    metrics.faults.inc();
    // An unreachable database is not a fault of this server.
    const isElsewhere = config.databaseUrl !== undefined && error instanceof LogUnavailable;
    faults[isElsewhere ? "warn" : "error"](error, what);
  };
  const note: OnWaiting = (reason, url) => {
    logger.warn({ url }, `waiting for the database: ${reason}`);
    onWaiting(reason, url);
  };
  const waiting = new Waiting(config, note, { ingress, signal });
  const { secrets: kept, ...stores } = await waiting.until(() =>
    openStore(config, { node, clock, logger, onFlush: (flush) => metrics.flushed(flush) }),
  );
  const onFailure = (error: unknown) => noteFault(error, "the signing keys could not be read again");
  try {
    const secrets = await waiting.until(() => loadSecrets(kept));
    const ring = await waiting.until(() => KeyRing.open(kept, { clock, onFailure }));
    const found = { ...stores, secrets, ring };
    return { config, logger, clock, metrics, faults, noteFault, waiting, ingress, ...found };
  } catch (error) {
    // The caller may try again in this process, and the folder would still be owned.
    await stores.log.close();
    throw error;
  }
}
