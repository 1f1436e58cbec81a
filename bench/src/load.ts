import type { LatencyHistogram } from "./latency-histogram.ts";

/** What one bounded run of load did. */
export type LoadResult = {
  /** Answers that came before the end of the run; those still in flight then are waited for, not counted. */
  readonly answered: number;
  readonly elapsedMs: number;
  readonly latency: LatencyHistogram;
};

export type Address = {
  readonly host: string;
  readonly port: number;
  /** The address that connections come from; the system picks one by default. */
  readonly localAddress?: string;
};

/** Longer than any flush or stall seen: past it the server has forgotten a request, and the run must not hang. */
export const answerTimeoutMs = 30_000;

export class LoadError extends Error {
  override name = "LoadError";
}
