import type { Refusal } from "@openseat/kernel";
import type { Arriving, EnterLimit } from "../../app/queues/enter-limit.ts";
import { TokenBuckets } from "../../token-buckets.ts";
import type { IsExempt } from "./exemptions.ts";
import { tooManyFromAddress } from "./refusals.ts";

export interface EnterTerms {
  /** Per minute, through the API. */
  readonly entersPerAddressMax: number;
  /** Per minute, through the waiting page. */
  readonly visitorsPerAddressMax: number;
  readonly isExempt: IsExempt;
}

/** Distinct limits of queues. Past this, all their counts restart. */
const ownLimitsMax = 1_000;

/** LM3: how many new places one address may take per minute. */
export class EnterLimits implements EnterLimit {
  readonly #isExempt: IsExempt;
  readonly #now: () => number;
  readonly #api: TokenBuckets;
  readonly #page: TokenBuckets;
  /** By the queue's limit: all buckets of a group hold the same number. */
  readonly #own = new Map<number, TokenBuckets>();

  constructor(terms: EnterTerms, now: () => number) {
    this.#isExempt = terms.isExempt;
    this.#now = now;
    this.#api = new TokenBuckets({ perMinute: terms.entersPerAddressMax }, now);
    this.#page = new TokenBuckets({ perMinute: terms.visitorsPerAddressMax }, now);
  }

  refusalFor(arriving: Arriving, queueMax: number | null): Refusal | undefined {
    const { identity, address, queue, isOnPage } = arriving;
    if (this.#isExempt(identity, address)) return undefined;
    const own = queueMax === null ? undefined : this.#ownBuckets(queueMax);
    const ownKey = `${queue} ${address}`;
    const ownWait = own?.take(ownKey) ?? 0;
    if (ownWait > 0) return tooManyFromAddress("arrivals", ownWait);
    const waitSeconds = (isOnPage ? this.#page : this.#api).take(address);
    if (waitSeconds === 0) return undefined;
    own?.refund(ownKey);
    return tooManyFromAddress("arrivals", waitSeconds);
  }

  #ownBuckets(perMinute: number): TokenBuckets {
    let buckets = this.#own.get(perMinute);
    if (!buckets) {
      if (this.#own.size >= ownLimitsMax) this.#own.clear();
      buckets = new TokenBuckets({ perMinute }, this.#now);
      this.#own.set(perMinute, buckets);
    }
    return buckets;
  }
}
