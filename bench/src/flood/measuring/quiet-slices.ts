import { setTimeout as sleep } from "node:timers/promises";
import { DisturbanceWatch } from "./disturbance.ts";
import { nowMs, type Phase, type Slice } from "./timeline.ts";

const sliceMs = 1_000;

/** How many slices may be run again because the machine was not ours alone, so that a run ends on a machine that never is. */
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
  /** Whether it goes on although all slices are there. Then it cannot be made longer, and no slice is run again. */
  readonly goesOn?: () => boolean;
  /** Ends it early: nothing is left to be measured. */
  readonly isOver?: () => boolean;
};

/** Watches the machine second by second. A disturbed slice is run again while reruns are left; after that, disturbed slices count. */
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
