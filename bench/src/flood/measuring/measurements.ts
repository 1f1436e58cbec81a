import { LatencyHistogram } from "../../latency-histogram.ts";
import { median } from "../../statistics.ts";
import type { AttackReport, GoodputSample } from "../attackers/attacker.ts";
import type { PoliteRequest } from "../stage/polite-client.ts";
import type { MemorySample } from "./memory-watch.ts";
import { countedSlices, type Phase, type Slice, within } from "./timeline.ts";

/** How long polite people waited in one phase; NaN when there were no requests. */
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
  /** Growth from the second third of the attack to the last: what goes on growing, grows here. */
  readonly lateGrowthBytes: number;
};

export type Goodput = { readonly peakPerSecond: number; readonly overloadPerSecond: number };

/** What one attack did to polite people and to the server. */
export type Measured = {
  readonly latency: Readonly<Record<"before" | "during" | "after", Latency>>;
  /** Failed polite requests that count. */
  readonly failures: readonly PoliteRequest[];
  readonly memory: Memory;
  readonly diskGrowthBytes: number;
  readonly isAlive: boolean;
  /** What the server said before it ended, or why it was ended. */
  readonly death: string | undefined;
  readonly goodput: Goodput | undefined;
  readonly report: AttackReport;
  readonly slices: { readonly disturbed: number; readonly keptDisturbed: number };
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

const phases: readonly Phase[] = ["before", "during", "recovery", "after"];

export function failuresIn(requests: readonly PoliteRequest[], slices: readonly Slice[]): PoliteRequest[] {
  const failed = requests.filter(({ failure }) => failure !== undefined);
  return phases.flatMap((phase) => within(failed, slices, phase));
}

/** The memory of the server: before, at its peak from the start of the attack on, and at the end. */
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

/** The middle rate of each kind of load: a stretch in which the machine was away does not move it. */
export function goodputIn(samples: readonly GoodputSample[], slices: readonly Slice[]): Goodput {
  const counted = within(samples, slices, "during");
  const perSecond = (load: GoodputSample["load"]): number =>
    medianOf(
      counted
        .filter((sample) => sample.load === load)
        .map(({ good, fromMs, toMs }) => (1000 * good) / (toMs - fromMs)),
    );
  return { peakPerSecond: perSecond("closed"), overloadPerSecond: perSecond("open") };
}

export function disturbedIn(slices: readonly Slice[]): Measured["slices"] {
  const kept = phases.flatMap((phase) => countedSlices(slices, phase));
  const isDisturbed = ({ disturbed }: Slice): boolean => disturbed;
  return { disturbed: slices.filter(isDisturbed).length, keptDisturbed: kept.filter(isDisturbed).length };
}

function spanOf(slices: readonly Slice[], phase: Phase): { readonly fromMs: number; readonly toMs: number } {
  const mine = slices.filter((slice) => slice.phase === phase);
  return { fromMs: mine[0]?.fromMs ?? Number.NaN, toMs: mine.at(-1)?.toMs ?? Number.NaN };
}

function medianOf(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : median(values);
}
