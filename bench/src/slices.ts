import { setTimeout as sleep } from "node:timers/promises";
import { LatencyHistogram } from "./latency-histogram.ts";
import type { LoadResult } from "./load.ts";
import { type Usage, Watch } from "./machine.ts";
import type { LogCounters } from "./openseat-server.ts";
import type { Progress } from "./progress.ts";

const stolenShareMax = 0.02;
// The kernel counts in ticks of 10 ms: in a short slice a single one says nothing.
const stolenTicksMin = 2;
const othersMax = 0.3;
const beforeRerunMs = 1000;

/** One of the sides that take turns in a measurement. */
export type Contender = {
  readonly name: string;
  readonly pid: number;
  /** Other processes that are part of it: further nodes, and a database that it shares with them. */
  readonly alsoPids?: readonly number[];
  /** The process that loads it, when that is not this one. */
  readonly clientPid?: number;
  /** Gets ready for the next slice (writes out its requests, say); not measured. */
  prepare(): Promise<void> | void;
  run(): Promise<LoadResult>;
  /** Waits until the server has done all that the slice caused, which would be measured with the next; not measured. */
  readonly settle?: () => Promise<void>;
  /** How far the log is, asked for before and after a slice; only of servers that have one. */
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

/** All the kept slices of one contender, one a round. */
export type Side = { readonly name: string; readonly slices: readonly Slice[] };

export type Rounds = {
  readonly sides: readonly Side[];
  /** Slices that were run again because the machine had not been ours alone. */
  readonly rerun: number;
  /** Slices that were kept although it had not, the number of re-runs being bounded. */
  readonly disturbed: number;
};

export type Turns = {
  readonly rounds: number;
  /** Slices of each contender before the first round, not counted. */
  readonly warmUps: number;
  /** Slices run again at most, so that a machine which is never left alone does not keep the run going. */
  readonly rerunsMax: number;
  readonly progress: Progress;
};

/** The contenders take turns, slice by slice. */
export async function alternate(contenders: readonly Contender[], turns: Turns): Promise<Rounds> {
  const { rounds, warmUps, rerunsMax, progress } = turns;
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
        progress.show(`${contender.name}, ${round + 1} of ${rounds} again: the machine was not ours alone`);
        // Whoever took it may be done by then.
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

/** Whether the machine was not ours: the hypervisor gave it to another, or another process ran beside us. */
export function wasTakenAway({ stolenShare, stolenTicks, others }: Usage): boolean {
  return (stolenShare > stolenShareMax && stolenTicks >= stolenTicksMin) || others > othersMax;
}
