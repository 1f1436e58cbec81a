import { randomInt } from "node:crypto";

export interface BucketTerms {
  readonly perMinute: number;
  /** Capacity of a bucket. By default, one minute's worth of tokens. */
  readonly burst?: number;
  readonly keysMax?: number;
}

const bucketsMax = 100_000;
const waitSecondsMax = 3_600;
/** Tolerance for rounding errors, because times are sums of fractions. */
const roundingMs = 1e-3;

/** Buckets per group. A key can only be in one group. */
const groupSize = 8;

/**
 * One token bucket per key, such as a person or an address. It stores only the time at which a bucket is full again, so full
 * buckets need no space. If there are too many, the bucket that is full soonest is dropped, so heavy spenders are never
 * forgotten. It uses typed arrays indexed by hashes of keys, because a `Map` with an object per person took as long as all
 * other checks together.
 */
export class TokenBuckets {
  readonly #burst: number;
  readonly #msPerToken: number;
  readonly #slotsMax: number;
  readonly #now: () => number;
  readonly #origin: number;
  /** A random seed, so that nobody can choose keys that collide with another person's bucket. */
  readonly #seed = randomInt(2 ** 32);
  /** Two numbers per key; zeros mark free slots. */
  #hashes = new Uint32Array(2 * groupSize);
  /** The time at which each bucket is full again. */
  #fullAt = new Float64Array(groupSize);
  #time = 0;
  /** The total by which the clock was set back. */
  #setBackMs = 0;
  /** The hash of the last key that was looked up. */
  #high = 0;
  #low = 0;

  constructor({ perMinute, burst = perMinute, keysMax = bucketsMax }: BucketTerms, now: () => number) {
    this.#burst = burst;
    this.#msPerToken = 60_000 / perMinute;
    this.#slotsMax = groupSize;
    while (this.#slotsMax < keysMax) this.#slotsMax *= 2;
    this.#now = now;
    this.#origin = now();
  }

  /** The number of buckets that fit without dropping any. */
  get size(): number {
    return this.#fullAt.length;
  }

  /** Returns 0 if `cost` tokens were taken, otherwise the number of seconds until they are available. */
  take(key: string, cost = 1, now = this.#now()): number {
    const time = this.#timeAt(now);
    if (this.#msPerToken === Number.POSITIVE_INFINITY) return waitSecondsMax;
    // A cost above the capacity takes the whole bucket: otherwise it could never be granted.
    const price = Math.min(cost, Math.max(1, this.#burst));
    const slot = this.#find(key);
    const before = slot < 0 ? time : Math.max(time, this.#fullAt[slot]);
    const after = before + price * this.#msPerToken;
    const missingMs = after - time - this.#burst * this.#msPerToken;
    if (missingMs > roundingMs) {
      const waitSeconds = Math.ceil((missingMs - roundingMs) / 1000);
      return Math.min(waitSecondsMax, Math.max(1, waitSeconds));
    }
    const kept = slot < 0 ? this.#newSlot() : slot;
    this.#fullAt[kept] = after;
    return 0;
  }

  /** Returns tokens that were taken for work that was not done. */
  refund(key: string, cost = 1): void {
    const slot = this.#find(key);
    if (slot >= 0) this.#fullAt[slot] -= cost * this.#msPerToken;
  }

  /** When the clock is set back, time stands still for the buckets, so nobody loses tokens. */
  #timeAt(now: number): number {
    const time = now - this.#origin + this.#setBackMs;
    if (time < this.#time) this.#setBackMs += this.#time - time;
    else this.#time = time;
    return this.#time;
  }

  /** The slot of the key, or -1 if its bucket is full. */
  #find(key: string): number {
    this.#hash(key);
    const first = this.#groupOf(this.#low);
    for (let slot = first; slot < first + groupSize; slot++)
      if (this.#hashes[2 * slot] === this.#high && this.#hashes[2 * slot + 1] === this.#low) return slot;
    return -1;
  }

  #groupOf(low: number): number {
    return (low * groupSize) & (this.#fullAt.length - 1);
  }

  /** For the key that was looked up last. */
  #newSlot(): number {
    let slot = this.#fullest(this.#groupOf(this.#low));
    while (this.#fullAt[slot] > this.#time && this.#fullAt.length < this.#slotsMax) {
      this.#grow();
      slot = this.#fullest(this.#groupOf(this.#low));
    }
    this.#hashes[2 * slot] = this.#high;
    this.#hashes[2 * slot + 1] = this.#low;
    return slot;
  }

  /** The slot that is full soonest in the group that starts at `first`. */
  #fullest(first: number): number {
    let best = first;
    for (let slot = first + 1; slot < first + groupSize; slot++)
      if (this.#fullAt[slot] < this.#fullAt[best]) best = slot;
    return best;
  }

  #grow(): void {
    const [hashes, fullAt] = [this.#hashes, this.#fullAt];
    this.#hashes = new Uint32Array(2 * hashes.length);
    this.#fullAt = new Float64Array(2 * fullAt.length);
    for (let old = 0; old < fullAt.length; old++) {
      if (fullAt[old] <= this.#time) continue;
      const slot = this.#fullest(this.#groupOf(hashes[2 * old + 1]));
      this.#hashes[2 * slot] = hashes[2 * old];
      this.#hashes[2 * slot + 1] = hashes[2 * old + 1];
      this.#fullAt[slot] = fullAt[old];
    }
  }

  #hash(key: string): void {
    let high = this.#seed;
    let low = ~this.#seed;
    for (let index = 0; index < key.length; index++) {
      const code = key.charCodeAt(index);
      high = Math.imul(high ^ code, 0x85ebca6b);
      high ^= high >>> 13;
      low = Math.imul(low ^ code, 0xc2b2ae35);
      low ^= low >>> 16;
    }
    this.#high = high >>> 0;
    this.#low = low >>> 0;
  }
}
