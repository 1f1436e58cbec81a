import { setTimeout as sleep } from "node:timers/promises";
import { LatencyHistogram } from "./latency-histogram.ts";
import type { LoadResult } from "./load.ts";
import { type Usage, Watch } from "./machine.ts";
import type { LogCounters } from "./openseat-server.ts";
import type { Progress } from "./progress.ts";

const stolenShareMax = 0.02;
// The kernel counts in ticks of 10 ms, so a single tick in a short slice means nothing.
const stolenTicksMin = 2;
const othersMax = 0.3;
const beforeRerunMs = 1000;

/** One of the sides that alternate in a measurement. */
export type Contender = {
  readonly name: string;
  readonly pid: number;
  /** Other processes that belong to it: further nodes, and their shared database. */
  readonly alsoPids?: readonly number[];
  /** The process that loads it, if it is not this one. */
  readonly clientPid?: number;
  /** Prepares the next slice, for example by writing its requests; not measured. */
  prepare(): Promise<void> | void;
  run(): Promise<LoadResult>;
  /**
   * Waits until the server has finished all work of the slice, which would otherwise affect the next one; not
   * measured.
   */
  readonly settle?: () => Promise<void>;
  /** The log's counters before and after a slice, for servers that have a log. */
  readonly logCounters?: () => Promise<LogCounters>;
};

export type Slice = {
  readonly perSecond: number;
  readonly answered: number;
  readonly elapsedMs: number;
  readonly latency: LatencyHistogram;
  readonly usage: Usage;
  readonly flushesPerSecond: number;
  readonly joinsPerFlush: number;
};

/** All kept slices of one contender, one per round. */
export type Side = { readonly name: string; readonly slices: readonly Slice[] };

export type Rounds = {
  readonly sides: readonly Side[];
  /** Slices repeated because other work disturbed the machine. */
  readonly rerun: number;
  /** Disturbed slices that were kept, because repetitions are limited. */
  readonly disturbed: number;
};

export type SlicePlan = {
  readonly rounds: number;
  /** Slices per contender before the first round, not counted. */
  readonly warmUps: number;
  /** The maximum number of repeated slices, so that a run ends even on a busy machine. */
  readonly rerunsMax: number;
  readonly progress: Progress;
};

/** Runs the contenders alternately, slice by slice. */
export async function alternate(contenders: readonly Contender[], plan: SlicePlan): Promise<Rounds> {
  const { rounds, warmUps, rerunsMax, progress } = plan;
  const slices: Slice[][] = contenders.map(() => []);
  let rerun = 0;
  let disturbed = 0;
  for (let warmUp = 0; warmUp < warmUps; warmUp++) {
    for (const contender of contenders) {
      progress.show(`warming up ${contender.name}`);
      await contender.prepare();
      await contender.run();
      await contender.settle?.();
      progress.step();
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const [side, contender] of contenders.entries()) {
      progress.show(`${contender.name}, ${round + 1} of ${rounds}`);
      let slice = await measure(contender);
      while (wasTakenAway(slice.usage) && rerun < rerunsMax) {
        rerun++;
        progress.show(`${contender.name}, ${round + 1} of ${rounds} again: other work disturbed the machine`);
        // The other work may be done by then.
        await sleep(beforeRerunMs);
        slice = await measure(contender);
      }
      if (wasTakenAway(slice.usage)) disturbed++;
      slices[side].push(slice);
      progress.step();
    }
  }
  const sides = contenders.map((contender, side) => ({ name: contender.name, slices: slices[side] }));
  return { sides, rerun, disturbed };
}

export function ratesOf(side: Side): number[] {
  return side.slices.map((slice) => slice.perSecond);
}

export function latencyOf(side: Side): LatencyHistogram {
  const all = new LatencyHistogram();
  for (const slice of side.slices) all.add(slice.latency);
  return all;
}

async function measure(contender: Contender): Promise<Slice> {
  await contender.prepare();
  const before = await contender.logCounters?.();
  const watch = new Watch([contender.pid, ...(contender.alsoPids ?? [])], contender.clientPid ?? process.pid);
  const { answered, elapsedMs, latency } = await contender.run();
  const usage = watch.usage();
  const after = await contender.logCounters?.();
  await contender.settle?.();
  const flushes = before && after ? after.flushes - before.flushes : Number.NaN;
  const entries = before && after ? after.entries - before.entries : Number.NaN;
  return {
    perSecond: (answered * 1000) / elapsedMs,
    answered,
    elapsedMs,
    latency,
    usage,
    flushesPerSecond: (flushes * 1000) / elapsedMs,
    joinsPerFlush: flushes > 0 ? entries / flushes : Number.NaN,
  };
}

/** Whether other work disturbed the machine: the hypervisor took processor time, or another process used it. */
export function wasTakenAway({ stolenShare, stolenTicks, others }: Usage): boolean {
  return (stolenShare > stolenShareMax && stolenTicks >= stolenTicksMin) || others > othersMax;
}
