import { setTimeout as sleep } from "node:timers/promises";
import { LoadError } from "../load.ts";
import type { Progress } from "../progress.ts";
import type { Attack, Job } from "./attack.ts";
import type { AttackReport } from "./attackers/attacker.ts";
import { Attackers } from "./attackers/attackers.ts";
import { folderBytes } from "./measuring/disk-use.ts";
import { goodputIn } from "./measuring/goodput.ts";
import { disturbedIn, failuresIn, latencyIn, type Measured, memoryIn } from "./measuring/measurements.ts";
import { MemoryWatch } from "./measuring/memory-watch.ts";
import { type Reruns, type Stretch, watchSlices } from "./measuring/quiet-slices.ts";
import { retainedBytes } from "./measuring/retained-memory.ts";
import { nowMs, type Phase, type Slice } from "./measuring/timeline.ts";
import { PoliteClient } from "./stage/polite-client.ts";
import { Stage } from "./stage/stage.ts";
import { absenceOf } from "./verdicts.ts";

/** Honest people arrive within a minute. */
const honestSecondsMax = 75;
/**
 * Attackers that are never told to stop end by themselves. This allows for their start, repeated slices and slow
 * machines.
 */
const attackersGraceSeconds = 120;

/** The durations of a run's phases. */
export type Lengths = {
  /** The server compiles its hot functions during this time; nothing is measured. */
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

/** Runs one attack next to polite people, on its own server. */
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
    const retainedBefore = await this.#retainedBytes();
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
      memory.stop();
      const diskGrowthBytes = folderBytes(this.#stage.server.folder) - diskBefore;
      const measured = this.#judge(polite, memory, report);
      // Measured last, because the server pauses for the garbage collection.
      const retainedGrowthBytes = (await this.#retainedBytes()) - retainedBefore;
      return { ...measured, diskGrowthBytes, retainedGrowthBytes };
    } finally {
      memory.stop();
      await polite.stop();
    }
  }

  async #runAttackers(jobs: readonly Job[]): Promise<AttackReport> {
    const { secondsMin = 0, isHonest = false } = this.#attack;
    const seconds = Math.max(this.#settings.lengths.duringSeconds, secondsMin);
    const secondsMax = (isHonest ? honestSecondsMax : seconds) + attackersGraceSeconds;
    const attackers = new Attackers(this.#attack, jobs, this.#stage.server.address, secondsMax);
    this.#settings.progress.show("waiting for the attackers");
    const hasBegun = await attackers.begin();
    if (hasBegun) await this.#watch("during", seconds, isHonest ? { goesOn: () => !attackers.areDone } : {});
    // The attack lasts until the last attacker is gone.
    const fromMs = nowMs();
    const report = await attackers.stop();
    if (!hasBegun)
      throw new LoadError(
        absenceOf(report, this.#attack)[0] ?? "The attack did not run: its attackers were too slow.",
      );
    this.#slices.push({ phase: "during", fromMs, toMs: nowMs(), disturbed: false, replaced: false });
    return report;
  }

  async #watch(phase: Phase, seconds: number, more: Pick<Stretch, "goesOn"> = {}): Promise<void> {
    const { progress, reruns } = this.#settings;
    progress.show(phase);
    const isOver = (): boolean => !this.#stage.isAlive;
    this.#slices.push(...(await watchSlices({ phase, seconds, isOver, ...more }, reruns)));
  }

  async #retainedBytes(): Promise<number> {
    const { isAlive, inspectorPort, server } = this.#stage;
    return isAlive ? retainedBytes({ pid: server.pid, inspectorPort }) : Number.NaN;
  }

  #judge(
    { requests }: PoliteClient,
    memory: MemoryWatch,
    report: AttackReport,
  ): Omit<Measured, "diskGrowthBytes" | "retainedGrowthBytes"> {
    const slices = this.#slices;
    const { isAlive, server } = this.#stage;
    return {
      latency: {
        before: latencyIn(requests, slices, "before"),
        during: latencyIn(requests, slices, "during"),
        after: latencyIn(requests, slices, "after"),
      },
      requests: requests.length,
      failures: failuresIn(requests),
      memory: memoryIn(memory.samples, slices),
      isAlive,
      death: memory.hasKilled ? "ended at 6 GB of memory" : lastError(server.lastWords),
      goodput: this.#attack.measuresGoodput ? goodputIn(report.goodput, slices) : undefined,
      report,
      slices: disturbedIn(slices),
    };
  }
}

/** The line that names the reason in the output of a dying server. */
function lastError(words: string | undefined): string | undefined {
  const lines = words?.split("\n").filter((line) => line.trim() !== "");
  return lines?.find((line) => /error/i.test(line)) ?? lines?.at(-1);
}
