import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Child } from "../../children.ts";
import { type Address, LoadError } from "../../load.ts";
import type { Attack, Job } from "../attack.ts";
import type { AttackReport } from "./attacker.ts";
import type { AttackerMessage, AttackOrder } from "./attacker-program.ts";

const program = fileURLToPath(new URL("./attacker-program.ts", import.meta.url));
/** Attackers hold what they send and receive, never more than this. */
const heapMegabytesMax = 1_024;
const reportTimeoutMs = 20_000;

/** All processes of one attack. */
export class Attackers {
  readonly #children: readonly Child[];
  readonly #reports: Promise<readonly AttackReport[]>;
  /** Whether all have told what came of it: attackers do when they are told to stop, honest people when all have come. */
  areDone = false;

  constructor(attack: Attack, jobs: readonly Job[], target: Address, secondsMax: number) {
    const env = { NODE_OPTIONS: `--max-old-space-size=${heapMegabytesMax}` };
    this.#children = jobs.map(() => new Child(program, { channel: true, env }));
    this.#reports = Promise.all(this.#children.map(reportOf));
    const done = (): void => {
      this.areDone = true;
    };
    this.#reports.then(done, done);
    for (const [number, job] of jobs.entries()) {
      const order: AttackOrder = { attack: attack.name, target, job, secondsMax };
      this.#children[number].process.send(order);
    }
  }

  get pids(): readonly number[] {
    return this.#children.map(({ pid }) => pid);
  }

  /** Tells them that it is over, hears what came of it, and sees to it that they are gone. */
  async stop(): Promise<AttackReport> {
    const late = setTimeout(() => this.#kill(), reportTimeoutMs);
    for (const { process: child } of this.#children) if (child.connected) child.send("stop");
    try {
      return together(await this.#reports);
    } finally {
      clearTimeout(late);
      this.#kill();
    }
  }

  #kill(): void {
    for (const child of this.#children) void child.stop("SIGKILL");
  }
}

async function reportOf(child: Child): Promise<AttackReport> {
  const exit = once(child.process, "exit").then(() => undefined);
  const message = once(child.process, "message").then(([told]) => told as AttackerMessage);
  const told = await Promise.race([message, exit]);
  if (told?.type === "done") return told.report;
  throw new LoadError(`An attacker failed: ${told?.message ?? child.output}`);
}

function together(reports: readonly AttackReport[]): AttackReport {
  const counts: Record<string, number> = {};
  for (const report of reports)
    for (const [what, times] of Object.entries(report.counts)) counts[what] = (counts[what] ?? 0) + times;
  return {
    counts,
    goodput: reports.flatMap(({ goodput }) => goodput),
    refused: reports.flatMap(({ refused }) => refused),
  };
}
