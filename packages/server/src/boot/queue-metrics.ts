import type { QueueRoom } from "@openseat/kernel";
import { Counter, Gauge, type Registry } from "prom-client";
import type { QueueStreams } from "../app/queues/queues.ts";
import { type Clock, inTime } from "../clock.ts";

/** Each queue is nine series that Prometheus keeps: those used last are measured, of those in memory. */
const measuredQueuesMax = 100;
/** While the store does not answer for longer than this, `/metrics` shows the values of the last time. */
const lookMsMax = 1_000;

interface Measure {
  readonly name: string;
  readonly help: string;
  readonly type: typeof Counter | typeof Gauge;
  /** Undefined while there is nothing to measure. */
  readonly of: (room: QueueRoom) => number | undefined;
}

const measures: readonly Measure[] = [
  {
    name: "openseat_queue_waiting",
    help: "People in the line of a waiting room.",
    type: Gauge,
    of: ({ line }) => line.length,
  },
  {
    name: "openseat_queue_away",
    help: "People in the line of whom nothing was heard for a while. They are passed over until they are back.",
    type: Gauge,
    of: ({ line }) => line.asideCount,
  },
  {
    name: "openseat_queue_admitted",
    help: "People whose turn it is, and who have not come in yet.",
    type: Gauge,
    of: ({ admitted }) => admitted,
  },
  {
    name: "openseat_queue_active",
    help: "People inside, with a session.",
    type: Gauge,
    of: ({ active }) => active,
  },
  {
    name: "openseat_queue_admissions_total",
    help: "People who were ever let in.",
    type: Counter,
    of: ({ moved }) => moved,
  },
  {
    name: "openseat_queue_completed_total",
    help: "Visits that were completed.",
    type: Counter,
    of: ({ completed }) => completed,
  },
  {
    name: "openseat_queue_left_total",
    help: "Places that were given up, in the line or after it.",
    type: Counter,
    of: ({ left }) => left,
  },
  {
    name: "openseat_queue_expired_total",
    help: "Places that expired: not heard of, not claimed in time, over their time, or terminated.",
    type: Counter,
    of: ({ expired }) => expired,
  },
  {
    name: "openseat_queue_estimate_error_ratio",
    help: "How far the middle of the estimate and the true wait were apart, as a share of the longer of the two, recently: 0 to 1.",
    type: Gauge,
    of: ({ waits: { averages } }) => (averages.estimated > 0 ? averages.errorShare : undefined),
  },
];

/** ST1: for each queue, read from the rooms in memory when Prometheus asks, so that it costs a request nothing. */
export function measureQueues(registry: Registry, streams: QueueStreams, clock: Pick<Clock, "after">): void {
  const lookAround = () =>
    streams.lookAround(measuredQueuesMax, (queue, room) => ({
      queue,
      values: measures.map(({ of }) => of(room)),
    }));
  let looking: ReturnType<typeof lookAround> | undefined;
  // All measures are collected in one go, and share one look.
  const look = () => {
    looking ??= lookAround().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  for (const [index, { name, help, type }] of measures.entries()) {
    new type({
      name,
      help,
      labelNames: ["queue"],
      registers: [registry],
      async collect() {
        const seen = await inTime(clock, lookMsMax, look(), undefined);
        if (!seen) return;
        this.reset();
        for (const { queue, values } of seen) {
          const value = values[index];
          if (value !== undefined) this.inc({ queue }, value);
        }
      },
    });
  }
}
