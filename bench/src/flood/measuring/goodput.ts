import { type Slice, type Span, within } from "./timeline.ts";

/** Good answers must arrive within this time, because people do not wait longer. */
export const goodWithinMs = 1_000;

/** The rate to offer under open load, as a multiple of the peak. */
export const offeredTimesMin = 3;

/** Requests and answers in an interval with one kind of load. */
export type GoodputSample = Span & {
  /**
   * Closed: each connection waits for its answers. Open: requests arrive at a fixed rate whatever the server does.
   */
  readonly load: "closed" | "open";
  /** Requests that were due, whether sent or held back. */
  readonly offered: number;
  /** Requests that were due but not sent, because the server had stopped reading their connection. */
  readonly heldBack: number;
  /** Good answers within `goodWithinMs` of the request. */
  readonly good: number;
};

export type Goodput = {
  /** Good answers per second under closed load: the capacity. */
  readonly peakPerSecond: number;
  readonly offeredPerSecond: number;
  readonly heldBackPerSecond: number;
  /** Good answers per second under open load. */
  readonly overloadPerSecond: number;
};

/**
 * The capacity: good answers per second under closed load. Attackers offer a multiple of it, and goodput is
 * compared with it.
 */
export function peakOf(samples: readonly GoodputSample[]): number {
  return perSecond(ofLoad(samples, "closed"), "good");
}

/** All rates are totals over time, so that a temporary collapse shows. */
export function goodputIn(samples: readonly GoodputSample[], slices: readonly Slice[]): Goodput {
  const counted = within(samples, slices, "during");
  const open = ofLoad(counted, "open");
  return {
    peakPerSecond: peakOf(counted),
    offeredPerSecond: perSecond(open, "offered"),
    heldBackPerSecond: perSecond(open, "heldBack"),
    overloadPerSecond: perSecond(open, "good"),
  };
}

function ofLoad(samples: readonly GoodputSample[], load: GoodputSample["load"]): GoodputSample[] {
  return samples.filter((sample) => sample.load === load);
}

/** NaN without samples. */
function perSecond(samples: readonly GoodputSample[], what: "good" | "offered" | "heldBack"): number {
  const total = samples.reduce((sum, sample) => sum + sample[what], 0);
  const elapsedMs = samples.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  return (1000 * total) / elapsedMs;
}
