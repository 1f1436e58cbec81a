/** A priority class: the share of the line that it skips (LN2). */
export interface Lane {
  readonly name: string;
  /** 0 is the back of the line, 1 the front. */
  readonly skips: number;
  /** LN3: admitted as soon as a seat is free, regardless of the rate. */
  readonly immediate: boolean;
}

export const defaultLanes: readonly Lane[] = [
  { name: "normal", skips: 0, immediate: false },
  { name: "elevated", skips: 0.1, immediate: false },
  { name: "vip", skips: 0.5, immediate: false },
  { name: "premium", skips: 1, immediate: true },
];
