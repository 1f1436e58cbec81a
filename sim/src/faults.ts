import type { Random } from "./prng.ts";

export const faultKinds = {
  crash: "crashes",
  freeze: "frozen nodes",
  cut: "nodes cut off from the store",
  outage: "crashes of the store",
  wentBack: "failovers that lost entries",
  lostWord: "messages lost between node and store",
  lostHint: "announcements lost",
  crashAtAppend: "crashes around an append",
  crashAtDelivery: "crashes around a delivery",
  cleanStop: "clean stops",
  clockJump: "clock jumps",
  failedAppend: "failed appends",
  lostAppendAnswer: "appends written, answer lost",
  tornByCrash: "writes in flight at a crash",
  failedReceipt: "failed receipts",
  lostReceiptAnswer: "receipts written, answer lost",
  failedSend: "messages refused by a channel for now",
  lostSendAnswer: "messages sent, answer lost",
  sendLater: "pauses requested by a channel",
  sendForGood: "messages refused permanently",
  slowSend: "slow channels",
  poison: "messages that make the rules fail",
  failedRead: "failed reads",
  failedSnapshot: "failed snapshots",
  slowLog: "slow answers of the log",
  conflict: "conflicts",
  lostRequest: "lost requests",
  lostAnswer: "lost answers",
  retry: "retries",
  reusedKey: "keys reused for something else",
  crowd: "crowds at one game",
  rush: "rushes into one line",
  silence: "people who went silent",
  cutOff: "cut-off watchers",
  slowWatcher: "slow watchers",
} as const;
export type FaultKind = keyof typeof faultKinds;
export type FaultTally = Record<FaultKind, number>;

export function noFaults(): FaultTally {
  return Object.fromEntries(Object.keys(faultKinds).map((kind) => [kind, 0])) as FaultTally;
}

/** Decides what fails, and counts the faults. */
export class Faults {
  readonly tally = noFaults();
  readonly #random: Random;
  readonly #rates: Partial<FaultTally>;
  #calm = false;
  /** Called for every fault, with its duration. */
  onFault: (kind: FaultKind, forMs: number) => void = () => {};

  constructor(random: Random, rates: Partial<FaultTally>) {
    this.#random = random;
    this.#rates = rates;
  }

  /** Whether the fault happens this time. */
  strikes(kind: FaultKind): boolean {
    if (!this.comes(kind)) return false;
    this.count(kind);
    return true;
  }

  /** Whether the fault may happen; the caller counts it once it knows more. */
  comes(kind: FaultKind): boolean {
    return !this.#calm && this.#random.chance(this.#rates[kind] ?? 0);
  }

  count(kind: FaultKind, forMs = 0): void {
    this.tally[kind]++;
    this.onFault(kind, forMs);
  }

  get calm(): boolean {
    return this.#calm;
  }

  /** Ends all faults: from now on every promise must be kept. */
  becalm(): void {
    this.#calm = true;
  }
}
