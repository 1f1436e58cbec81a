import { readdirSync, readFileSync } from "node:fs";
import { Watch } from "../../machine.ts";
import { wasTakenAway } from "../../slices.ts";

const msPerTick = 10;
const kernelThreadFlag = 0x0020_0000;

/** One process, from `/proc/PID/stat`. */
export type ProcessStat = {
  readonly pid: number;
  readonly parent: number;
  readonly isKernelThread: boolean;
  /** Processor time of the process and its ended children. */
  readonly cpuMs: number;
};

/**
 * Detects whether other work disturbed the machine: stolen processor time, and time used by processes that this one
 * did not start. Kernel threads and interrupts do not count, because the attack itself causes their work.
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
 * Processor time of processes that are neither this one nor its descendants. The time of an ended process is still
 * included in its parent's.
 */
function foreignCpuMs(processes: readonly ProcessStat[], self: number): number {
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === self || isOurs(parents.get(pid)));
  return processes
    .filter(({ pid, isKernelThread }) => !isKernelThread && !isOurs(pid))
    .reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/**
 * Parses a line of `/proc/PID/stat`. The program name is in parentheses, and may itself contain parentheses and
 * spaces.
 */
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

/** All visible processes; empty on systems without /proc, where nothing counts as disturbed. */
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
