import { HttpLoad, type OnAnswer, type Requests } from "../http-load.ts";
import { LatencyHistogram } from "../latency-histogram.ts";
import type { Address, LoadResult } from "../load.ts";

/** Loads several nodes at once from one book, with connections spread evenly. */
export class SpreadLoad {
  readonly #loads: readonly HttpLoad[];

  constructor(addresses: readonly Address[], connections: number) {
    const share = Math.ceil(connections / addresses.length);
    this.#loads = addresses.map((address) => new HttpLoad(address, share));
  }

  /** Like `HttpLoad`: returns the result of all nodes together. */
  async saturate(book: Requests, durationMs: number, onAnswer?: OnAnswer): Promise<LoadResult> {
    return sumOf(await Promise.all(this.#loads.map((load) => load.saturate(book, durationMs, onAnswer))));
  }

  close(): void {
    for (const load of this.#loads) load.close();
  }
}

/** The result of all nodes together. */
export function sumOf(results: readonly LoadResult[]): LoadResult {
  const latency = new LatencyHistogram();
  for (const result of results) latency.add(result.latency);
  return {
    answered: results.reduce((sum, { answered }) => sum + answered, 0),
    elapsedMs: Math.max(...results.map(({ elapsedMs }) => elapsedMs)),
    latency,
  };
}
