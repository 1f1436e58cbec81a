import { LatencyHistogram } from "../../latency-histogram.ts";
import { median } from "../../statistics.ts";
import type { AttackReport } from "../attackers/attacker.ts";
import type { PoliteRequest } from "../stage/polite-client.ts";
import type { Goodput } from "./goodput.ts";
import type { MemorySample } from "./memory-watch.ts";
import { type Phase, type Slice, within } from "./timeline.ts";

/** Waiting times of polite people in one phase; NaN without requests. */
export type Latency = {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

export type Memory = {
  readonly beforeBytes: number;
  readonly peakBytes: number;
  readonly afterBytes: number;
  /** Growth from the second third of the attack to the last, which shows continuing growth. */
  readonly lateGrowthBytes: number;
};

export type DisturbedSlices = {
  /** Disturbed slices that were repeated and do not count. */
  readonly replaced: number;
  /** Disturbed slices that count, because no repetitions were left. */
  readonly counted: number;
};

/** The effect of one attack on polite people and on the server. */
export type Measured = {
  readonly latency: Readonly<Record<"before" | "during" | "after", Latency>>;
  /** Polite requests in all phases. */
  readonly requests: number;
  /** The polite requests that failed. */
  readonly failures: readonly PoliteRequest[];
  readonly memory: Memory;
  /** Growth of live memory from before the first polite request to after the last; NaN if the server is dead. */
  readonly retainedGrowthBytes: number;
  readonly diskGrowthBytes: number;
  readonly isAlive: boolean;
  /** The server's last output, or why the benchmark stopped it. */
  readonly death: string | undefined;
  readonly goodput: Goodput | undefined;
  readonly report: AttackReport;
  readonly slices: DisturbedSlices;
};

export function latencyIn(
  requests: readonly PoliteRequest[],
  slices: readonly Slice[],
  phase: Phase,
): Latency {
  const histogram = new LatencyHistogram();
  let maxMs = Number.NaN;
  for (const { fromMs, toMs } of within(requests, slices, phase)) {
    histogram.record((toMs - fromMs) * 1000);
    maxMs = Math.max(Number.isNaN(maxMs) ? 0 : maxMs, toMs - fromMs);
  }
  const percentileMs = (share: number): number =>
    histogram.total === 0 ? Number.NaN : histogram.percentileUs(share) / 1000;
  return { requests: histogram.total, p50Ms: percentileMs(0.5), p99Ms: percentileMs(0.99), maxMs };
}

/** Every failed request counts, also between two phases or in a disturbed slice. */
export function failuresIn(requests: readonly PoliteRequest[]): PoliteRequest[] {
  return requests.filter(({ failure }) => failure !== undefined);
}

/** The server's memory: before the attack, at its peak, and at the end. */
export function memoryIn(samples: readonly MemorySample[], slices: readonly Slice[]): Memory {
  const { fromMs, toMs } = spanOf(slices, "during");
  const third = (toMs - fromMs) / 3;
  const bytesIn = (from: number, to: number): number[] =>
    samples.filter(({ atMs }) => atMs >= from && atMs < to).map(({ bytes }) => bytes);
  const after = spanOf(slices, "after");
  return {
    beforeBytes: medianOf(bytesIn(0, fromMs)),
    peakBytes: Math.max(...bytesIn(fromMs, Number.POSITIVE_INFINITY)),
    afterBytes: medianOf(bytesIn(after.fromMs, Number.POSITIVE_INFINITY)),
    lateGrowthBytes: medianOf(bytesIn(toMs - third, toMs)) - medianOf(bytesIn(fromMs + third, toMs - third)),
  };
}

export function disturbedIn(slices: readonly Slice[]): DisturbedSlices {
  const disturbed = slices.filter((slice) => slice.disturbed);
  const replaced = disturbed.filter((slice) => slice.replaced).length;
  return { replaced, counted: disturbed.length - replaced };
}

function spanOf(slices: readonly Slice[], phase: Phase): { readonly fromMs: number; readonly toMs: number } {
  const mine = slices.filter((slice) => slice.phase === phase);
  return { fromMs: mine[0]?.fromMs ?? Number.NaN, toMs: mine.at(-1)?.toMs ?? Number.NaN };
}

function medianOf(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : median(values);
}
