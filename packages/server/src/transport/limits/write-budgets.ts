import type { Refusal } from "@openseat/kernel";
import type { Identity } from "../../app/identity.ts";
import { TokenBuckets } from "../../token-buckets.ts";
import type { IsExempt } from "./exemptions.ts";
import type { Check } from "./gatekeeper.ts";
import { tooManyByPerson, tooManyFromAddress } from "./refusals.ts";

export interface BudgetTerms {
  /** Per minute. */
  readonly writesPerPersonMax: number;
  readonly writesPerAddressMax: number;
  readonly isExempt: IsExempt;
}

/** Fewer than addresses: only people who write several times per second spend a budget. */
const personsMax = 20_000;

/** LM3: what a person, and all people at an address, may write per minute. */
export class WriteBudgets {
  readonly #isExempt: IsExempt;
  readonly #persons: TokenBuckets;
  readonly #addresses: TokenBuckets;
  readonly #now: () => number;

  constructor(terms: BudgetTerms, now: () => number) {
    this.#isExempt = terms.isExempt;
    this.#now = now;
    this.#persons = new TokenBuckets({ perMinute: terms.writesPerPersonMax, keysMax: personsMax }, now);
    this.#addresses = new TokenBuckets({ perMinute: terms.writesPerAddressMax }, now);
  }

  /** Takes the cost from both budgets, or from neither. */
  charge(cost: number, identity: Identity | null, address: string): Refusal | undefined {
    if (cost === 0 || this.#isExempt(identity, address)) return undefined;
    const now = this.#now();
    if (identity) {
      const waitSeconds = this.#persons.take(identity.by, cost, now);
      if (waitSeconds > 0) return tooManyByPerson(waitSeconds);
    }
    const waitSeconds = this.#addresses.take(address, cost, now);
    if (waitSeconds === 0) return undefined;
    if (identity) this.#persons.refund(identity.by, cost);
    return tooManyFromAddress("requests", waitSeconds);
  }

  /** For requests that were refused after they were charged. */
  refund(cost: number, identity: Identity | null, address: string): void {
    if (this.#isExempt(identity, address)) return;
    if (identity) this.#persons.refund(identity.by, cost);
    this.#addresses.refund(address, cost);
  }

  readonly check: Check = ({ cost }, identity, address) => this.charge(cost, identity, address);
}
