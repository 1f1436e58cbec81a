/** What the polite client was doing when: the parts of one attack's run. */
export type Phase = "before" | "during" | "recovery" | "after";

/** About a second of the run. */
export type Slice = {
  readonly phase: Phase;
  readonly fromMs: number;
  readonly toMs: number;
  /** The host took the processors away, or other programs used them. */
  readonly disturbed: boolean;
  /** Another slice was run in its place, so this one does not count. */
  readonly replaced: boolean;
};

/** Something that happened from one moment to another, in `nowMs` time. */
export type Span = { readonly fromMs: number; readonly toMs: number };

/** Milliseconds since 1970, finer than `Date.now`, so that processes can compare their times. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** The slices of a phase that count: all but those that were run again, disturbed or not. */
function countedSlices(slices: readonly Slice[], phase: Phase): readonly Slice[] {
  return slices.filter((slice) => slice.phase === phase && !slice.replaced);
}

/** Which of these belong to a phase and count. Each belongs to the slice in which it began, however long it went on. */
export function within<T extends Span>(spans: readonly T[], slices: readonly Slice[], phase: Phase): T[] {
  const counted = countedSlices(slices, phase);
  return spans.filter((span) =>
    counted.some(({ fromMs, toMs }) => span.fromMs >= fromMs && span.fromMs < toMs),
  );
}
