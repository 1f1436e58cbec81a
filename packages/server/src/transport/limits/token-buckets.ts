export interface BucketTerms {
  readonly perMinute: number;
  /** What a full bucket holds; a minute's worth by default. */
  readonly burst?: number;
  readonly keysMax?: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

const bucketsMax = 100_000;
const waitSecondsMax = 3_600;

/**
 * One token bucket per key (a person, an address). At `keysMax` the keys that were idle longest are forgotten, half of them at
 * once: their buckets have refilled the most, and a sender who keeps spending is never forgotten.
 */
export class TokenBuckets {
  readonly #burst: number;
  readonly #perMs: number;
  readonly #generationMax: number;
  readonly #now: () => number;
  /** Keys used since the last change of generations, and before it. A single map would search for its oldest key each time. */
  #recent = new Map<string, Bucket>();
  #older = new Map<string, Bucket>();

  constructor({ perMinute, burst = perMinute, keysMax = bucketsMax }: BucketTerms, now: () => number) {
    this.#burst = burst;
    this.#perMs = perMinute / 60_000;
    this.#generationMax = Math.max(1, Math.floor(keysMax / 2));
    this.#now = now;
  }

  /** Keys that are remembered; one that is in both generations counts twice. */
  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  /** 0 when `cost` tokens were taken; else after how many whole seconds they will be there. */
  take(key: string, cost = 1, now = this.#now()): number {
    // What costs more than a full bucket takes all of it: it could never be granted otherwise.
    const price = Math.min(cost, Math.max(1, this.#burst));
    const known = this.#recent.get(key) ?? this.#older.get(key);
    // Most people write once and are not heard of again: for them this is all, because it is done for every write.
    if (!known && price <= this.#burst) {
      this.#remember(key, { tokens: this.#burst - price, at: now });
      return 0;
    }
    const bucket = this.#refilled(key, known, now);
    const missing = price - bucket.tokens;
    // A little less, or what is a whole number of seconds would be rounded up to one more.
    const waitSeconds = Math.ceil(missing / this.#perMs / 1000 - 1e-6);
    if (missing > 0) return Math.min(waitSecondsMax, Math.max(1, waitSeconds));
    bucket.tokens -= price;
    return 0;
  }

  /** Gives back what was taken for something that came to nothing. */
  refund(key: string, cost = 1): void {
    const bucket = this.#recent.get(key) ?? this.#older.get(key);
    if (bucket) bucket.tokens = Math.min(this.#burst, bucket.tokens + cost);
  }

  #refilled(key: string, known: Bucket | undefined, now: number): Bucket {
    const bucket = known ?? { tokens: this.#burst, at: now };
    if (!this.#recent.has(key)) this.#remember(key, bucket);
    // A clock that was set back must not take tokens away.
    const passed = Math.max(0, now - bucket.at);
    bucket.tokens = Math.min(this.#burst, bucket.tokens + passed * this.#perMs);
    bucket.at = now;
    return bucket;
  }

  #remember(key: string, bucket: Bucket): void {
    if (this.#recent.size >= this.#generationMax) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, bucket);
  }
}
