import { readdirSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { fixedText, percentText } from "./formats.ts";

/**
 * Readings of the machine at one moment, from /proc. On systems without it they are NaN, and nothing is judged by
 * them.
 */
type Reading = {
  /** Time of all processors since boot, in ticks. */
  readonly totalTicks: number;
  readonly idleTicks: number;
  /** Time that the hypervisor gave to other machines. */
  readonly stolenTicks: number;
};

const ticksPerSecond = 100;

function readMachine(): Reading {
  const line = readText("/proc/stat")?.split("\n", 1)[0];
  if (line === undefined) return { totalTicks: Number.NaN, idleTicks: Number.NaN, stolenTicks: Number.NaN };
  const [user, nice, system, idle, wait, interrupt, softInterrupt, stolen] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const totalTicks = user + nice + system + idle + wait + interrupt + softInterrupt + stolen;
  return { totalTicks, idleTicks: idle + wait, stolenTicks: stolen };
}

type ProcessCpu = { readonly mainMs: number; readonly allMs: number };

/** Processor time of a process: its main thread, and all threads. */
function readProcess(pid: number): ProcessCpu {
  const main = schedstat(pid, pid);
  let all = 0;
  for (const thread of threadsOf(pid)) all += schedstat(pid, Number(thread));
  return { mainMs: main / 1e6, allMs: all / 1e6 };
}

/** The same for a server with several processes. */
function readServers(pids: readonly number[]): ProcessCpu {
  const all = pids.map(readServer);
  const sum = (which: keyof ProcessCpu): number => all.reduce((total, each) => total + each[which], 0);
  return { mainMs: sum("mainMs"), allMs: sum("allMs") };
}

/** The same for a server and its child processes, because those of a database are part of the measurement. */
function readServer(pid: number): ProcessCpu {
  const own = readProcess(pid);
  const started = childrenOf(pid).reduce((sum, child) => sum + readServer(child).allMs, 0);
  return { mainMs: own.mainMs, allMs: own.allMs + started };
}

export type Usage = {
  /** Share of the slice's processor time that was stolen. */
  readonly stolenShare: number;
  readonly stolenTicks: number;
  /** Processors used by neither the client nor the measured server; 0.1 is a tenth of one. */
  readonly others: number;
  readonly client: number;
  readonly serverMain: number;
  readonly serverAll: number;
};

/** Watches the machine, a client and a server of one or several processes, from construction to `usage`. */
export class Watch {
  readonly #clientPid: number;
  readonly #serverPids: readonly number[];
  readonly #startedAt = performance.now();
  readonly #machine = readMachine();
  readonly #client: ProcessCpu;
  readonly #server: ProcessCpu;

  constructor(serverPids: readonly number[], clientPid: number) {
    this.#clientPid = clientPid;
    this.#serverPids = serverPids;
    this.#client = readProcess(clientPid);
    this.#server = readServers(serverPids);
  }

  usage(): Usage {
    const client = readProcess(this.#clientPid);
    const server = readServers(this.#serverPids);
    const machine = readMachine();
    const elapsedMs = performance.now() - this.#startedAt;
    const stolenTicks = machine.stolenTicks - this.#machine.stolenTicks;
    const totalTicks = machine.totalTicks - this.#machine.totalTicks;
    const busyTicks = totalTicks - stolenTicks - (machine.idleTicks - this.#machine.idleTicks);
    const busyMs = (busyTicks * 1000) / ticksPerSecond;
    const clientMs = client.allMs - this.#client.allMs;
    const serverMs = server.allMs - this.#server.allMs;
    return {
      stolenShare: stolenTicks / totalTicks,
      stolenTicks,
      others: Math.max(0, busyMs - clientMs - serverMs) / elapsedMs,
      client: (client.mainMs - this.#client.mainMs) / elapsedMs,
      serverMain: (server.mainMs - this.#server.mainMs) / elapsedMs,
      serverAll: serverMs / elapsedMs,
    };
  }
}

/** How much else the machine did, from construction to `text`. */
export class Surroundings {
  readonly #load = loadavg()[0];
  readonly #machine = readMachine();

  get text(): string {
    const { totalTicks, stolenTicks } = readMachine();
    const stolen = (stolenTicks - this.#machine.stolenTicks) / (totalTicks - this.#machine.totalTicks);
    return `load average before it ${fixedText(this.#load, 1)}, ${percentText(stolen)} of the processors' time stolen by the host`;
  }
}

function schedstat(pid: number, thread: number): number {
  const text = readText(`/proc/${pid}/task/${thread}/schedstat`);
  return text === undefined ? Number.NaN : Number(text.split(" ", 1)[0]);
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function childrenOf(pid: number): number[] {
  const lists = threadsOf(pid).map((thread) => readText(`/proc/${pid}/task/${thread}/children`) ?? "");
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
