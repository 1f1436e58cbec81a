import type { FastifyInstance } from "fastify";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Clock } from "../../clock.ts";
import { TimeSlices } from "../../scheduling/time-slices.ts";
import { version } from "../../version.ts";
import { about } from "./docs/operations.ts";
import { RouteLatencies, RouteLatency } from "./route-latencies.ts";

export type CountAnswer = (status: number, ms: number) => void;

/** Of the process. Several servers in it share the collectors, because they observe it until it ends. */
let processMetrics: Registry | undefined;

function processRegistry(): Registry {
  if (!processMetrics) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  return processMetrics;
}

export class Metrics {
  readonly #process = processRegistry();
  readonly registry = new Registry();
  readonly flushes = this.#counter("openseat_log_flushes_total", "Flushes to the disk.");
  readonly entries = this.#counter("openseat_log_entries_total", "Entries written to the log.");
  readonly faults = this.#counter(
    "openseat_faults_total",
    "Errors that the server recorded, including those that its log only counts.",
  );
  readonly roomsAhead = this.#counter(
    "openseat_rooms_ahead_total",
    "Rooms read into memory whose newest entry was more than a day ahead of the server's time.",
  );
  readonly smsHeld = this.#counter(
    "openseat_sms_held_total",
    "Text messages delayed by smsPerHourMax. A message that is delayed twice counts twice.",
  );
  readonly flushSeconds = new Histogram({
    name: "openseat_log_flush_seconds",
    help: "Time from sending a batch to the disk until it is durable.",
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5],
    registers: [this.registry],
  });
  readonly #counts = new Map<string, { latency: RouteLatency; byStatus: Map<number, number> }>();

  constructor() {
    new Gauge({
      name: "openseat_build_info",
      help: "Always 1. Its labels are the versions of Openseat and of Node.",
      labelNames: ["version", "node"],
      registers: [this.registry],
    }).set({ version, node: process.versions.node }, 1);
    // Plain counters that are passed to Prometheus on a scrape: looking up labels per request costs too much.
    const counts = this.#counts;
    new RouteLatencies(this.registry, () => [...counts.values()].map(({ latency }) => latency));
    new Counter({
      name: "openseat_http_requests_total",
      help: "HTTP responses, by route and status.",
      labelNames: ["method", "route", "status"],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { latency, byStatus } of counts.values()) {
          for (const [status, count] of byStatus) this.inc({ ...latency.labels, status }, count);
        }
      },
    });
  }

  /** In the format of Prometheus. */
  async text(): Promise<string> {
    return (await Promise.all([this.registry.metrics(), this.#process.metrics()])).join("");
  }

  counterOf(method: string, route: string): CountAnswer {
    const name = `${method} ${route}`;
    const counts = this.#counts.get(name) ?? {
      latency: new RouteLatency(method, route),
      byStatus: new Map<number, number>(),
    };
    this.#counts.set(name, counts);
    const { latency, byStatus } = counts;
    return (status, ms) => {
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      latency.observe(ms / 1000);
    };
  }

  count(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** The same for several counts that differ in a label. */
  countBy(name: string, help: string, label: string, read: () => Readonly<Record<string, number>>): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
      },
    });
  }

  /** A gauge without a new value keeps its last one. */
  gauge(name: string, help: string, read: () => number | Promise<number | undefined>): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        const value = await read();
        if (value !== undefined) this.set(value);
      },
    });
  }

  #counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }

  flushed({ entries, seconds }: { entries: number; seconds: number }): void {
    this.flushes.inc();
    this.entries.inc(entries);
    this.flushSeconds.observe(seconds);
  }
}

export function metricsRoute(app: FastifyInstance, metrics: Metrics, clock: Pick<Clock, "soon">): void {
  // Rendered once for all waiting scrapes, in time slices: it costs more than most requests.
  const slices = new TimeSlices(clock);
  let next: Promise<string> | undefined;
  const render = () => {
    next = undefined;
    return metrics.text();
  };
  app.get(
    "/metrics",
    {
      config: { access: "public", forOperators: true, isBegun: true },
      schema: { ...about("getMetrics"), produces: ["text/plain"] },
    },
    async (_, reply) => {
      next ??= slices.run(render);
      return reply.type(metrics.registry.contentType).send(await next);
    },
  );
}
