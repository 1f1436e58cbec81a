import type { Refusal } from "@openseat/kernel";
import { samplesInRow } from "./event-loop-delay.ts";
import type { Traits } from "./gatekeeper.ts";

export interface SheddingDeps {
  /** How late the event loop is. */
  readonly delay: { readonly ms: number };
  /** Past this delay all new work is refused. */
  readonly overloadMs: number;
  /** Milliseconds since some moment. */
  readonly elapsed: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Past this part of `overloadMs`, new work of the heaviest addresses is refused. */
const busyPercent = 15;
/** The most by which the limit falls or rises in one step. */
const stepMin = 0.5;
const stepMax = 1.5;
/** How long new work is counted per address. */
const windowMs = 1_000;
/** No address is refused for less than this in one window: a page with all that it loads is no attack. */
const perAddressMin = 50;
/** The same for work already begun, which a school has a lot of: a thousand people who wait. */
const begunPerAddressMin = 1_000;
const countedAddressesMax = 100_000;
const retrySecondsMax = 5;
/** A refusal may cost as much as an answer. Held back, it keeps clients that do not wait from asking again at once. */
const heldMs = 500;

/**
 * LM4: refuses new work while the server is late, so that work already begun goes on. Heaviest first: while the server is
 * busy, a limit per address falls until it is in time again, and then rises. The addresses that send most reach it first,
 * and those that send little never do. Work already begun is refused only above a high limit per address.
 */
export class LoadShedding {
  readonly #deps: SheddingDeps;
  readonly #refusals: readonly Refusal[];
  readonly heldMs = heldMs;
  /** How much was refused, by the reason for it. */
  readonly counts = { address: 0, overload: 0 };
  #perAddressMax = Number.POSITIVE_INFINITY;
  #sent = new Map<string, Sent>();
  #heaviest = 0;
  /** Of the window before, when it was over. */
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

  /** Why this is not served now; undefined when it is. */
  refusalFor({ isBegun }: Traits, address: string): Refusal | undefined {
    const sent = this.#count(isBegun ? "begun" : "fresh", address);
    if (isBegun) {
      const max = Math.max(begunPerAddressMin, this.#perAddressMax);
      return sent > max ? this.#refuse("address") : undefined;
    }
    if (this.#deps.delay.ms > this.#deps.overloadMs) return this.#refuse("overload");
    return sent > this.#perAddressMax ? this.#refuse("address") : undefined;
  }

  /** Work that has begun counts too: uncounted, a flood of made-up heartbeats would make everybody else the heaviest. */
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
    // Spread, or all of them would come back in the same second.
    return this.#refusals[Math.floor(this.#deps.random() * retrySecondsMax)];
  }

  /** After each sample of the delay. */
  adjust(): void {
    if (this.#deps.elapsed() >= this.#windowEndsAt) this.#endWindow();
    // What the last cut has come to is known when all samples are later than it.
    if (this.#samplesUntilCut > 0) this.#samplesUntilCut--;
    else if (this.#step < 1) this.#cut();
  }

  /** By how much the limit should change for the server to be just in time. */
  get #step(): number {
    const busyMs = (this.#deps.overloadMs * busyPercent) / 100;
    return Math.min(stepMax, Math.max(stepMin, busyMs / this.#deps.delay.ms));
  }

  #cut(): void {
    // With one active address, shedding would protect no other client.
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

/** What one address has sent in a window. */
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
