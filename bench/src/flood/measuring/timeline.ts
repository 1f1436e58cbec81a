/** What the polite client was doing when: the parts of one attack's run. */
export type Phase = "before" | "during" | "recovery" | "after";

/** About a second of the run. Disturbed: the host took the processors away, or other programs used them. */
export type Slice = {
  readonly phase: Phase;
  readonly fromMs: number;
  readonly toMs: number;
  readonly disturbed: boolean;
};

/** Something that happened from one moment to another, in `nowMs` time. */
export type Span = { readonly fromMs: number; readonly toMs: number };

/** Milliseconds since 1970, finer than `Date.now`, so that processes can compare their times. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** The slices of a phase that count: the undisturbed ones, or all of them when those are less than half. */
export function countedSlices(slices: readonly Slice[], phase: Phase): readonly Slice[] {
  const all = slices.filter((slice) => slice.phase === phase);
  const quiet = all.filter((slice) => !slice.disturbed);
  return 2 * quiet.length >= all.length ? quiet : all;
}

/**
 * Which of these belong to a phase and count. Something belongs to the slice in which it began. It does not count when it went on
 * in a disturbed slice: the machine may have made it slow, not the server.
 */
export function within<T extends Span>(spans: readonly T[], slices: readonly Slice[], phase: Phase): T[] {
  const counted = countedSlices(slices, phase);
  const keepsDisturbed = counted.some((slice) => slice.disturbed);
  const disturbed = keepsDisturbed ? [] : slices.filter((slice) => slice.disturbed);
  return spans.filter(
    (span) =>
      counted.some(({ fromMs, toMs }) => span.fromMs >= fromMs && span.fromMs < toMs) &&
      !disturbed.some(({ fromMs, toMs }) => span.fromMs < toMs && span.toMs > fromMs),
  );
}
