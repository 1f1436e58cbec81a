import { readdirSync, readFileSync } from "node:fs";
import { Watch } from "../../machine.ts";
import { wasTakenAway } from "../../slices.ts";

const msPerTick = 10;
const kernelThreadFlag = 0x0020_0000;

/** One process as `/proc/PID/stat` shows it. */
export type ProcessStat = {
  readonly pid: number;
  readonly parent: number;
  readonly isKernelThread: boolean;
  /** Processor time of the process, and of its children that have ended. */
  readonly cpuMs: number;
};

/**
 * Tells whether the machine was ours while it watched. Two things disturb: processors that the host took away, and processor time of
 * processes that this one did not start. Kernel threads and interrupts do not count, because the attack itself causes their work.
 */
export class DisturbanceWatch {
  readonly #machine = new Watch([], process.pid);
  readonly #foreignMs = foreignCpuMs(readProcesses(), process.pid);
  readonly #startedAt = performance.now();

  wasDisturbed(): boolean {
    const elapsedMs = performance.now() - this.#startedAt;
    const foreignMs = foreignCpuMs(readProcesses(), process.pid) - this.#foreignMs;
    return wasTakenAway({ ...this.#machine.usage(), others: foreignMs / elapsedMs });
  }
}

/**
 * Processor time that processes other than this one and its descendants have used. A process that ends while it is watched is not
 * lost: its time is added to that of its parent.
 */
function foreignCpuMs(processes: readonly ProcessStat[], self: number): number {
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === self || isOurs(parents.get(pid)));
  return processes
    .filter(({ pid, isKernelThread }) => !isKernelThread && !isOurs(pid))
    .reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/** From a line of `/proc/PID/stat`. The name of the program is in brackets, and may itself have brackets and spaces. */
function parseProcessStat(line: string): ProcessStat {
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return {
    pid: Number.parseInt(line, 10),
    parent: Number(fields[1]),
    isKernelThread: (Number(fields[6]) & kernelThreadFlag) !== 0,
    cpuMs: ticks * msPerTick,
  };
}

/** All processes that we can see; none on systems without /proc, where nothing counts as disturbed. */
function readProcesses(): ProcessStat[] {
  try {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.flatMap((pid) => readStat(pid) ?? []);
  } catch {
    return [];
  }
}

function readStat(pid: string): ProcessStat | undefined {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    // It has just ended.
    return undefined;
  }
}
