import type { LatencyHistogram } from "./latency-histogram.ts";

/** The result of one bounded run of load. */
export type LoadResult = {
  /** Answers before the end of the run; later ones are awaited but not counted. */
  readonly answered: number;
  readonly elapsedMs: number;
  readonly latency: LatencyHistogram;
};

export type Address = {
  readonly host: string;
  readonly port: number;
  /** The local address of connections; the system's choice by default. */
  readonly localAddress?: string;
};

/** Longer than any flush or stall seen. After that the request counts as lost, so that the run does not hang. */
export const answerTimeoutMs = 30_000;

export class LoadError extends Error {
  override name = "LoadError";
}
