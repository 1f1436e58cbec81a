import { setTimeout as sleep } from "node:timers/promises";
import { Watch } from "../../machine.ts";
import { wasTakenAway } from "../../slices.ts";
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
  /** The processes that belong to the measurement besides this one. */
  readonly pids: readonly number[];
  /** Whether it goes on although all slices are there. */
  readonly goesOn?: () => boolean;
  /** Ends it early: nothing is left to be measured. */
  readonly isOver?: () => boolean;
};

/** Watches the machine second by second, until there are as many undisturbed slices as wanted. A disturbed slice is run again. */
export async function watchSlices(stretch: Stretch, reruns: Reruns): Promise<Slice[]> {
  const { phase, seconds, pids, goesOn, isOver } = stretch;
  const slices: Slice[] = [];
  let left = seconds;
  let fromMs = nowMs();
  while ((left > 0 || goesOn?.()) && !isOver?.()) {
    const watch = new Watch(pids, process.pid);
    await sleep(sliceMs);
    const disturbed = wasTakenAway(watch.usage());
    const toMs = nowMs();
    slices.push({ phase, fromMs, toMs, disturbed });
    fromMs = toMs;
    if (!disturbed || !reruns.take()) left--;
  }
  return slices;
}
