import type { Refusal } from "@openseat/kernel";
import { samplesInRow } from "./event-loop-delay.ts";
import type { Traits } from "./gatekeeper.ts";

export interface SheddingDeps {
  readonly delay: { readonly ms: number };
  readonly overloadMs: number;
  readonly elapsed: () => number;
  readonly random: () => number;
}

/** Above this percentage of `overloadMs`, new work of the most active addresses is refused. */
const busyPercent = 15;
const stepMin = 0.5;
const stepMax = 1.5;
const windowMs = 1_000;
/** No address is refused below this many requests per window: a single page loads many files. */
const perAddressMin = 50;
/** The same for work already begun: a thousand people may share an address. */
const begunPerAddressMin = 1_000;
const countedAddressesMax = 100_000;
const retrySecondsMax = 5;

/**
 * LM4: refuses new work while the server is late, so that work already begun continues. While the server is busy, a limit per
 * address falls, and rises again afterwards, so the most active addresses are refused first. Work already begun is refused only
 * above a high limit per address.
 */
export class LoadShedding {
  readonly #deps: SheddingDeps;
  readonly #refusals: readonly Refusal[];
  /** A refusal is delayed: clients that do not wait would otherwise retry at once. */
  readonly heldMs = 500;
  readonly counts = { address: 0, overload: 0 };
  #perAddressMax = Number.POSITIVE_INFINITY;
  #sent = new Map<string, Sent>();
  #heaviest = 0;
  /** The highest count of the previous window. */
  #lastHeaviest = 0;
  #lastAddresses = 0;
  #windowEndsAt: number;
  #samplesUntilCut = 0;
  #wasCut = false;

  constructor(deps: SheddingDeps) {
    this.#deps = deps;
    this.#windowEndsAt = deps.elapsed() + windowMs;
    this.#refusals = Array.from({ length: retrySecondsMax }, (_, index) => busyFor(index + 1));
  }

  refusalFor({ isBegun }: Traits, address: string): Refusal | undefined {
    const sent = this.#count(isBegun ? "begun" : "fresh", address);
    if (isBegun) {
      const max = Math.max(begunPerAddressMin, this.#perAddressMax);
      return sent > max ? this.#refuse("address") : undefined;
    }
    if (this.#deps.delay.ms > this.#deps.overloadMs) return this.#refuse("overload");
    return sent > this.#perAddressMax ? this.#refuse("address") : undefined;
  }

  /** Also counts work already begun: otherwise a flood of heartbeats would make all other addresses the most active. */
  #count(kind: keyof Sent, address: string): number {
    let sent = this.#sent.get(address);
    if (!sent) {
      sent = { fresh: 0, begun: 0 };
      if (this.#sent.size < countedAddressesMax) this.#sent.set(address, sent);
    }
    const count = ++sent[kind];
    if (count > this.#heaviest) this.#heaviest = count;
    return count;
  }

  #refuse(reason: keyof LoadShedding["counts"]): Refusal {
    this.counts[reason]++;
    // Random, so that not all clients retry in the same second.
    return this.#refusals[Math.floor(this.#deps.random() * retrySecondsMax)];
  }

  /** Call it after each sample of the delay. */
  adjust(): void {
    if (this.#deps.elapsed() >= this.#windowEndsAt) this.#endWindow();
    // The samples do not show the effect of the last cut until all of them are later than it.
    if (this.#samplesUntilCut > 0) this.#samplesUntilCut--;
    else if (this.#step < 1) this.#cut();
  }

  get #step(): number {
    const busyMs = (this.#deps.overloadMs * busyPercent) / 100;
    return Math.min(stepMax, Math.max(stepMin, busyMs / this.#deps.delay.ms));
  }

  #cut(): void {
    // With a single active address, shedding would protect no other client.
    if (Math.max(this.#sent.size, this.#lastAddresses) < 2) return;
    const heaviest = Math.max(this.#heaviest, this.#lastHeaviest);
    this.#perAddressMax = Math.max(perAddressMin, Math.min(this.#perAddressMax, heaviest) * this.#step);
    this.#wasCut = true;
    this.#samplesUntilCut = samplesInRow;
  }

  #endWindow(): void {
    this.#windowEndsAt = this.#deps.elapsed() + windowMs;
    if (!this.#wasCut) this.#perAddressMax *= this.#step;
    if (this.#perAddressMax > 2 * this.#heaviest) this.#perAddressMax = Number.POSITIVE_INFINITY;
    this.#wasCut = false;
    this.#lastHeaviest = this.#heaviest;
    this.#lastAddresses = this.#sent.size;
    this.#heaviest = 0;
    this.#sent = new Map();
  }
}

interface Sent {
  fresh: number;
  begun: number;
}

function busyFor(seconds: number): Refusal {
  const wait = seconds === 1 ? "a second" : `${seconds} seconds`;
  return {
    code: "server.busy",
    message: `The server is busy. Please try again in ${wait}.`,
    retryable: true,
    retryAfterSeconds: seconds,
  };
}
