import { setTimeout as sleep } from "node:timers/promises";
import { DisturbanceWatch } from "./disturbance.ts";
import { nowMs, type Phase, type Slice } from "./timeline.ts";

const sliceMs = 1_000;

/** The number of disturbed slices that may still be repeated, so that a run ends even on a busy machine. */
export class Reruns {
  #left: number;

  constructor(max: number) {
    this.#left = max;
  }

  take(): boolean {
    return this.#left-- > 0;
  }
}

export type Stretch = {
  readonly phase: Phase;
  readonly seconds: number;
  /**
   * Whether the load still runs after all slices. Such a stretch ends by itself, so it cannot be extended and
   * repeats no slice.
   */
  readonly goesOn?: () => boolean;
  /** Ends early when nothing is left to measure. */
  readonly isOver?: () => boolean;
};

/**
 * Watches the machine second by second. Disturbed slices are repeated while repetitions are left; after that they
 * count.
 */
export async function watchSlices(
  { phase, seconds, goesOn, isOver }: Stretch,
  reruns: Reruns,
  wasDisturbed = watchOneSlice,
): Promise<Slice[]> {
  const slices: Slice[] = [];
  let left = seconds;
  let fromMs = nowMs();
  while ((left > 0 || goesOn?.()) && !isOver?.()) {
    const disturbed = await wasDisturbed();
    const toMs = nowMs();
    const replaced = disturbed && goesOn === undefined && reruns.take();
    slices.push({ phase, fromMs, toMs, disturbed, replaced });
    fromMs = toMs;
    if (!replaced) left--;
  }
  return slices;
}

async function watchOneSlice(): Promise<boolean> {
  const watch = new DisturbanceWatch();
  await sleep(sliceMs);
  return watch.wasDisturbed();
}
