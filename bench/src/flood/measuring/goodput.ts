import { type Slice, type Span, within } from "./timeline.ts";

/** How late a good answer may come to count: people do not wait for later ones. */
export const goodWithinMs = 1_000;

/** What must be offered under open load, as a multiple of the peak. */
export const offeredTimesMin = 3;

/** What was asked and answered in a stretch of time, while the load was of one kind. */
export type GoodputSample = Span & {
  /** Closed: each connection waits for its answers. Open: requests come at their rate whatever the server does. */
  readonly load: "closed" | "open";
  /** Requests that were due: those that were sent, and those that were held back. */
  readonly offered: number;
  /** Requests that were due and not sent, because the server had stopped reading their connection. */
  readonly heldBack: number;
  /** Good answers that came within `goodWithinMs` of the request. */
  readonly good: number;
};

export type Goodput = {
  /** Good answers per second under closed load, which is the capacity. */
  readonly peakPerSecond: number;
  readonly offeredPerSecond: number;
  readonly heldBackPerSecond: number;
  /** Good answers per second under open load. */
  readonly overloadPerSecond: number;
};

/** The capacity: good answers per second under closed load. Attackers offer a multiple of it, and goodput is judged by it. */
export function peakOf(samples: readonly GoodputSample[]): number {
  return perSecond(ofLoad(samples, "closed"), "good");
}

/** All rates are totals over time, so that a collapse in a part of the time shows. */
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
