/** The phases of a run, as seen by the polite client. */
export type Phase = "before" | "during" | "recovery" | "after";

/** About one second of the run. */
export type Slice = {
  readonly phase: Phase;
  readonly fromMs: number;
  readonly toMs: number;
  /** The hypervisor or other programs took processor time. */
  readonly disturbed: boolean;
  /** Another slice was run instead, so this one does not count. */
  readonly replaced: boolean;
};

/** A span of time, in `nowMs` time. */
export type Span = { readonly fromMs: number; readonly toMs: number };

/** Milliseconds since 1970, more precise than `Date.now`, so that processes can compare times. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** The slices of a phase that count: all except those that were repeated. */
function countedSlices(slices: readonly Slice[], phase: Phase): readonly Slice[] {
  return slices.filter((slice) => slice.phase === phase && !slice.replaced);
}

/** The spans of a phase that count. Each belongs to the slice in which it started, however long it lasted. */
export function within<T extends Span>(spans: readonly T[], slices: readonly Slice[], phase: Phase): T[] {
  const counted = countedSlices(slices, phase);
  return spans.filter((span) =>
    counted.some(({ fromMs, toMs }) => span.fromMs >= fromMs && span.fromMs < toMs),
  );
}
