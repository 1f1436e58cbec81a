import { wholeText } from "./formats.ts";
import { latencyOf, type Rounds, ratesOf, type Side, type Slice } from "./slices.ts";
import { median, ratioSpread, type Spread } from "./statistics.ts";

/** One table row: a scenario compared with the bare server. */
export type Row = {
  readonly scenario: string;
  readonly barePerSecond: number;
  readonly openseatPerSecond: number;
  readonly ratio: Spread;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly flushesPerSecond: number;
  readonly joinsPerFlush: number;
  readonly busy: { readonly bare: Busy; readonly openseat: Busy };
  /**
   * Processor time of the server's main thread per request, in microseconds. It is meaningful even on a busy
   * machine.
   */
  readonly cpuUs: { readonly bare: number; readonly openseat: number };
  readonly rerun: number;
  readonly disturbed: number;
  /** Every counted slice, for detailed analysis. */
  readonly slices: { readonly bare: readonly SliceDetails[]; readonly openseat: readonly SliceDetails[] };
};

type SliceDetails = Omit<Slice, "latency"> & { readonly p50Ms: number; readonly p99Ms: number };

/**
 * Share of one processor used by the client, by the server's main thread, by all its threads, and by other
 * processes.
 */
type Busy = {
  readonly client: number;
  readonly serverMain: number;
  readonly serverAll: number;
  readonly others: number;
};

/** A checked promise and its result. */
export type Verdict = {
  readonly what: string;
  readonly value: number;
  readonly measured: string;
  readonly target: string;
  readonly met: boolean;
};

export type Findings = {
  readonly rows: readonly Row[];
  readonly verdicts: readonly Verdict[];
  readonly notes: readonly string[];
};

export function together(found: readonly Findings[]): Findings {
  return {
    rows: found.flatMap(({ rows }) => rows),
    verdicts: found.flatMap(({ verdicts }) => verdicts),
    notes: found.flatMap(({ notes }) => notes),
  };
}

/** A verdict on something that must never happen, with the number of times it did. */
export function nothing(what: string, count: number): Verdict {
  return { what, value: count, measured: wholeText(count), target: "0", met: count === 0 };
}

export function rowOf(scenario: string, rounds: Rounds, bare: Side, openseat: Side): Row {
  const latency = latencyOf(openseat);
  return {
    scenario,
    barePerSecond: median(ratesOf(bare)),
    openseatPerSecond: median(ratesOf(openseat)),
    ratio: ratioSpread(ratesOf(openseat), ratesOf(bare)),
    p50Ms: latency.percentileUs(0.5) / 1000,
    p99Ms: latency.percentileUs(0.99) / 1000,
    flushesPerSecond: medianOf(openseat, (slice) => slice.flushesPerSecond),
    joinsPerFlush: medianOf(openseat, (slice) => slice.joinsPerFlush),
    busy: { bare: busyOf(bare), openseat: busyOf(openseat) },
    cpuUs: { bare: median(mainUsEach(bare)), openseat: median(mainUsEach(openseat)) },
    rerun: rounds.rerun,
    disturbed: rounds.disturbed,
    slices: { bare: bare.slices.map(detailsOf), openseat: openseat.slices.map(detailsOf) },
  };
}

export function medianOf(side: Side, value: (slice: Slice) => number): number {
  return median(side.slices.map(value));
}

function mainUsEach(side: Side): number[] {
  return side.slices.map(
    ({ usage, elapsedMs, answered }) => (1000 * usage.serverMain * elapsedMs) / answered,
  );
}

/** Processor time of all server threads per request, in microseconds. */
export function cpuUsEach(side: Side): number[] {
  return side.slices.map(({ usage, elapsedMs, answered }) => (1000 * usage.serverAll * elapsedMs) / answered);
}

function detailsOf({ latency, ...details }: Slice): SliceDetails {
  return { ...details, p50Ms: latency.percentileUs(0.5) / 1000, p99Ms: latency.percentileUs(0.99) / 1000 };
}

function busyOf(side: Side): Busy {
  return {
    client: medianOf(side, ({ usage }) => usage.client),
    serverMain: medianOf(side, ({ usage }) => usage.serverMain),
    serverAll: medianOf(side, ({ usage }) => usage.serverAll),
    others: medianOf(side, ({ usage }) => usage.others),
  };
}
