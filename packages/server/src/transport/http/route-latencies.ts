import { Histogram, type Registry } from "prom-client";

const bucketSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Latencies of a route, in plain counters: looking up labels per request costs too much. */
export class RouteLatency {
  readonly labels: { readonly method: string; readonly route: string };
  readonly #counts = new Array<number>(bucketSeconds.length + 1).fill(0);
  sum = 0;

  constructor(method: string, route: string) {
    this.labels = { method, route };
  }

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < bucketSeconds.length && seconds > bucketSeconds[bucket]) bucket++;
    this.#counts[bucket]++;
    this.sum += seconds;
  }

  cumulated(): { readonly le: number | string; readonly count: number }[] {
    let count = 0;
    return this.#counts.map((own, bucket) => {
      count += own;
      return { le: bucketSeconds[bucket] ?? "+Inf", count };
    });
  }
}

const name = "openseat_http_request_seconds";
const help = "Time from the arrival of a request to its response, by route.";

/** OP3: a histogram per route. Labels are route patterns, so their number is bounded. */
export class RouteLatencies extends Histogram<"method" | "route"> {
  readonly #routes: () => Iterable<RouteLatency>;

  constructor(registry: Registry, routes: () => Iterable<RouteLatency>) {
    super({ name, help, labelNames: ["method", "route"], buckets: bucketSeconds, registers: [registry] });
    this.#routes = routes;
  }

  async getForPromString() {
    const values = [...this.#routes()].flatMap((latency) => {
      const { labels, sum } = latency;
      const buckets = latency.cumulated();
      const { count } = buckets[buckets.length - 1];
      if (count === 0) return [];
      return [
        ...buckets.map(({ le, count }) => ({
          labels: { ...labels, le },
          value: count,
          metricName: `${name}_bucket`,
        })),
        { labels, value: sum, metricName: `${name}_sum` },
        { labels, value: count, metricName: `${name}_count` },
      ];
    });
    return { name, help, type: "histogram", values };
  }
}
