// One attacking process. It runs at the lowest priority, attacks only this machine, and ends by itself.
import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";
import type { Address } from "../../load.ts";
import type { Job } from "../attack.ts";
import { attackNamed } from "../attacks.ts";
import { Attacker, type AttackReport } from "./attacker.ts";

export type AttackOrder = {
  readonly attack: string;
  readonly target: Address;
  readonly job: Job;
  /** It ends after this time in any case. */
  readonly secondsMax: number;
};

export type AttackerMessage =
  /** It is prepared, and its first connection is open. */
  | { readonly type: "begun" }
  | { readonly type: "done"; readonly report: AttackReport }
  | { readonly type: "failed"; readonly message: string };

let attacker: Attacker | undefined;

process.on("message", (message: AttackOrder | "stop") => {
  if (message === "stop") attacker?.end();
  else void attack(message);
});
process.on("disconnect", () => process.exit());

async function attack({ attack, target, job, secondsMax }: AttackOrder): Promise<void> {
  const { run, isHonest } = attackNamed(attack);
  if (!isHonest) lowerPriority();
  setTimeout(() => process.exit(1), secondsMax * 1000).unref();
  const mine = new Attacker(target, () => tell({ type: "begun" }));
  attacker = mine;
  try {
    await run(mine, job);
    tell({ type: "done", report: mine.report });
  } catch (error) {
    tell({ type: "failed", message: (error as Error).stack ?? String(error) });
  }
}

function tell(message: AttackerMessage): void {
  process.send?.(message);
}

/** Lowers the priority of every thread: on Linux a process's priority applies only to its main thread. */
function lowerPriority(): void {
  setPriority(constants.priority.PRIORITY_LOW);
  try {
    for (const thread of readdirSync("/proc/self/task"))
      setPriority(Number(thread), constants.priority.PRIORITY_LOW);
  } catch {
    // The system has no /proc, or the thread has just ended.
  }
}
