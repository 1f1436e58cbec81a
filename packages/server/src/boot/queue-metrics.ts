import type { QueueRoom } from "@openseat/kernel";
import { Counter, Gauge, type Registry } from "prom-client";
import type { QueueStreams } from "../app/queues/queues.ts";
import { type Clock, inTime, shared } from "../clock.ts";

/** Each queue is nine Prometheus series, so only the most recently used ones in memory are measured. */
const measuredQueuesMax = 100;
/** If the store takes longer than this, `/metrics` shows the previous values. */
const readMsMax = 1_000;

/** Metric name, help text, and how to read the value. Undefined if there is nothing to measure. */
const measures: Readonly<
  Record<string, readonly [help: string, of: (room: QueueRoom) => number | undefined]>
> = {
  openseat_queue_waiting: ["People in the line of a waiting room.", ({ line }) => line.length],
  openseat_queue_away: [
    "People in the line who sent no heartbeat for a while. They are passed over until they are back.",
    ({ line }) => line.asideCount,
  ],
  openseat_queue_admitted: ["People who were admitted and have not entered yet.", ({ admitted }) => admitted],
  openseat_queue_active: ["People inside, with a session.", ({ active }) => active],
  openseat_queue_admissions_total: ["People admitted since the queue was created.", ({ moved }) => moved],
  openseat_queue_completed_total: ["Visits that were completed.", ({ completed }) => completed],
  openseat_queue_left_total: ["Places that people left, before or after admission.", ({ left }) => left],
  openseat_queue_expired_total: [
    "Places that expired: no heartbeat, not claimed in time, session over, or terminated.",
    ({ expired }) => expired,
  ],
  openseat_queue_estimate_error_ratio: [
    "Recent difference between the middle of the estimate and the true wait, as a share of the longer of the two: 0 to 1.",
    ({ waits: { averages } }) => (averages.estimated > 0 ? averages.errorShare : undefined),
  ],
};

/** ST1: metrics per queue, read from memory when Prometheus scrapes, so requests pay nothing. */
export function measureQueues(registry: Registry, streams: QueueStreams, clock: Pick<Clock, "after">): void {
  const lookAround = () =>
    streams.lookAround(measuredQueuesMax, (queue, room) => ({
      queue,
      values: Object.values(measures).map(([, of]) => of(room)),
    }));
  // All metrics are collected at once, and share one read.
  const readOnce = shared(lookAround);
  for (const [index, [name, [help]]] of Object.entries(measures).entries()) {
    const Metric = name.endsWith("_total") ? Counter : Gauge;
    new Metric({
      name,
      help,
      labelNames: ["queue"],
      registers: [registry],
      async collect() {
        const queues = await inTime(clock, readMsMax, readOnce(), undefined);
        if (!queues) return;
        this.reset();
        for (const { queue, values } of queues) {
          const value = values[index];
          if (value !== undefined) this.inc({ queue }, value);
        }
      },
    });
  }
}
