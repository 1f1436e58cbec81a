import { type Clock, inTime, shared } from "../clock.ts";
import type { Log, StoreSizes } from "../log/log.ts";
import type { Metrics } from "../transport/http/metrics.ts";

/** If the store takes longer than this, `/metrics` shows the previous values. */
const readMsMax = 1_000;

/** OP3: the size of the store and the number of waiting effects, read when Prometheus scrapes. */
export function measureStore(metrics: Metrics, log: Pick<Log, "sizes">, clock: Clock): void {
  // All gauges are collected at once, and share one call.
  const readOnce = shared(async () => log.sizes?.().catch(() => undefined));
  const gauge = (name: string, help: string, of: (sizes: StoreSizes) => number | undefined) =>
    metrics.gauge(name, help, async () => {
      const sizes = await inTime(clock, readMsMax, readOnce(), undefined);
      return sizes && of(sizes);
    });
  gauge(
    "openseat_store_bytes",
    "Size of the database, or of openseat.db.",
    ({ databaseBytes }) => databaseBytes,
  );
  gauge(
    "openseat_store_wal_bytes",
    "Size of the write-ahead log openseat.db-wal; on PostgreSQL there is none.",
    ({ walBytes }) => walBytes,
  );
  gauge(
    "openseat_outbox_waiting",
    "Effects and messages waiting to be delivered, counted up to 100,000.",
    (sizes) => sizes.outboxWaiting,
  );
  gauge(
    "openseat_outbox_age_seconds",
    "Age of the oldest effect or message waiting to be delivered; 0 when nothing waits.",
    ({ outboxOldestAt: at }) => (at === undefined ? 0 : Math.max(0, clock.now() - at) / 1000),
  );
}
