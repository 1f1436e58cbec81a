import { setTimeout as sleep } from "node:timers/promises";
import type { Progress } from "../progress.ts";
import type { Attack, Job } from "./attack.ts";
import type { AttackReport } from "./attackers/attacker.ts";
import { Attackers } from "./attackers/attackers.ts";
import { folderBytes } from "./measuring/disk-use.ts";
import {
  disturbedIn,
  failuresIn,
  goodputIn,
  latencyIn,
  type Measured,
  memoryIn,
} from "./measuring/measurements.ts";
import { MemoryWatch } from "./measuring/memory-watch.ts";
import { type Reruns, watchSlices } from "./measuring/quiet-slices.ts";
import type { Phase, Slice } from "./measuring/timeline.ts";
import { PoliteClient } from "./stage/polite-client.ts";
import { Stage } from "./stage/stage.ts";

/** Honest people come within a minute. Attackers end by themselves, soon after they should have been told to. */
const honestSecondsMax = 75;
const attackersGraceSeconds = 20;

/** How long the parts of a run are. */
export type Lengths = {
  /** The server compiles its hot functions in this time; nothing is measured. */
  readonly warmUpMs: number;
  readonly beforeSeconds: number;
  readonly duringSeconds: number;
  readonly recoverySeconds: number;
  readonly afterSeconds: number;
};

export const usualLengths: Lengths = {
  warmUpMs: 2_000,
  beforeSeconds: 3,
  duringSeconds: 8,
  recoverySeconds: 5,
  afterSeconds: 3,
};

export type RunSettings = {
  readonly program: string;
  readonly lengths: Lengths;
  readonly progress: Progress;
  readonly reruns: Reruns;
};

/** Runs one attack beside polite people, on a server of its own. */
export async function runAttack(attack: Attack, settings: RunSettings): Promise<Measured> {
  settings.progress.show("starting a server");
  const stage = await Stage.open(settings.program, attack.settings);
  try {
    settings.progress.show("preparing");
    return await new Run(attack, stage, settings).measure();
  } finally {
    await stage.close();
  }
}

class Run {
  readonly #attack: Attack;
  readonly #stage: Stage;
  readonly #settings: RunSettings;
  readonly #slices: Slice[] = [];

  constructor(attack: Attack, stage: Stage, settings: RunSettings) {
    this.#attack = attack;
    this.#stage = stage;
    this.#settings = settings;
  }

  async measure(): Promise<Measured> {
    const { warmUpMs, beforeSeconds, recoverySeconds, afterSeconds } = this.#settings.lengths;
    const { jobs, alsoPolite } = await this.#attack.prepare(this.#stage);
    const polite = new PoliteClient(this.#stage, alsoPolite);
    const memory = new MemoryWatch(this.#stage);
    try {
      await sleep(warmUpMs);
      await this.#watch("before", beforeSeconds);
      const diskBefore = folderBytes(this.#stage.server.folder);
      const report = await this.#runAttackers(jobs as readonly Job[]);
      await this.#watch("recovery", recoverySeconds);
      await this.#watch("after", afterSeconds);
      await polite.stop();
      const diskGrowthBytes = folderBytes(this.#stage.server.folder) - diskBefore;
      return { ...this.#judge(polite, memory, report), diskGrowthBytes };
    } finally {
      memory.stop();
      await polite.stop();
    }
  }

  /** The attack itself. */
  async #runAttackers(jobs: readonly Job[]): Promise<AttackReport> {
    const { secondsMin = 0, isHonest = false } = this.#attack;
    const seconds = Math.max(this.#settings.lengths.duringSeconds, secondsMin);
    const secondsMax = isHonest ? honestSecondsMax : seconds + attackersGraceSeconds;
    const attackers = new Attackers(this.#attack, jobs, this.#stage.server.address, secondsMax);
    await this.#watch("during", seconds, attackers.pids, () => isHonest && !attackers.areDone);
    return attackers.stop();
  }

  async #watch(
    phase: Phase,
    seconds: number,
    attackers: readonly number[] = [],
    goesOn?: () => boolean,
  ): Promise<void> {
    const { progress, reruns } = this.#settings;
    progress.show(phase);
    const pids = [this.#stage.server.pid, ...attackers];
    const isOver = (): boolean => !this.#stage.isAlive;
    const slices = await watchSlices({ phase, seconds, pids, ...(goesOn && { goesOn }), isOver }, reruns);
    this.#slices.push(...slices);
  }

  #judge(
    { requests }: PoliteClient,
    memory: MemoryWatch,
    report: AttackReport,
  ): Omit<Measured, "diskGrowthBytes"> {
    const slices = this.#slices;
    const { isAlive, server } = this.#stage;
    return {
      latency: {
        before: latencyIn(requests, slices, "before"),
        during: latencyIn(requests, slices, "during"),
        after: latencyIn(requests, slices, "after"),
      },
      failures: failuresIn(requests, slices),
      memory: memoryIn(memory.samples, slices),
      isAlive,
      death: memory.hasKilled ? "ended at 6 GB of memory" : lastError(server.lastWords),
      goodput: this.#attack.measuresGoodput ? goodputIn(report.goodput, slices) : undefined,
      report,
      slices: disturbedIn(slices),
    };
  }
}

/** The line that says why, out of all that a server prints when it dies. */
function lastError(words: string | undefined): string | undefined {
  const lines = words?.split("\n").filter((line) => line.trim() !== "");
  return lines?.find((line) => /error/i.test(line)) ?? lines?.at(-1);
}
