import { fileURLToPath } from "node:url";
import { Child } from "../../children.ts";
import { type Address, LoadError } from "../../load.ts";
import type { Attack, Job } from "../attack.ts";
import type { AttackReport } from "./attacker.ts";
import type { AttackerMessage, AttackOrder } from "./attacker-program.ts";

const program = fileURLToPath(new URL("./attacker-program.ts", import.meta.url));
/** The heap limit of attackers, who keep what they send and receive. */
const heapMegabytesMax = 1_024;
const reportTimeoutMs = 60_000;
/** A process must start, prepare thousands of tokens and connect, which is slow on a busy machine. */
const beginTimeoutMs = 60_000;

/** All processes of one attack. */
export class Attackers {
  readonly #children: readonly Child[];
  readonly #reports: Promise<readonly AttackReport[]>;
  readonly #begun: Promise<unknown>;
  /** Whether all have reported: attackers do when told to stop, honest people when all have arrived. */
  areDone = false;

  constructor(attack: Attack, jobs: readonly Job[], target: Address, secondsMax: number) {
    const env = { NODE_OPTIONS: `--max-old-space-size=${heapMegabytesMax}` };
    this.#children = jobs.map(() => new Child(program, { channel: true, env }));
    this.#begun = Promise.all(this.#children.map(beginningOf));
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

  /** Waits until each process has a connection. False if one has none in time or ends before. */
  async begin(timeoutMs = beginTimeoutMs): Promise<boolean> {
    let late: NodeJS.Timeout | undefined;
    const tooLate = new Promise<false>((resolve) => {
      late = setTimeout(resolve, timeoutMs, false);
    });
    const ended = this.#reports.then(
      () => false,
      () => false,
    );
    // Honest people may be done already. They report both events, and the first one counts.
    const hasBegun = await Promise.race([this.#begun.then(() => true), ended, tooLate]);
    clearTimeout(late);
    return hasBegun;
  }

  /** Stops all processes, collects their reports and makes sure that they are gone. */
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

function beginningOf({ process: child }: Child): Promise<void> {
  return new Promise((resolve) => {
    child.on("message", (message: AttackerMessage) => {
      if (message.type === "begun") resolve();
    });
  });
}

function reportOf(child: Child): Promise<AttackReport> {
  return new Promise((resolve, reject) => {
    child.process.on("message", (message: AttackerMessage) => {
      if (message.type === "done") resolve(message.report);
      else if (message.type === "failed") reject(new LoadError(`An attacker failed: ${message.message}`));
    });
    child.process.once("exit", () => reject(new LoadError(`An attacker ended: ${child.output}`)));
  });
}

function together(reports: readonly AttackReport[]): AttackReport {
  const counts: Record<string, number> = {};
  for (const report of reports)
    for (const [what, times] of Object.entries(report.counts)) counts[what] = (counts[what] ?? 0) + times;
  return {
    counts,
    goodput: reports.flatMap(({ goodput }) => goodput),
    refused: reports.flatMap(({ refused }) => refused),
    cutReason: reports.find(({ cutReason }) => cutReason !== undefined)?.cutReason,
  };
}
