import { randomInt } from "node:crypto";

export interface BucketTerms {
  readonly perMinute: number;
  /** What a full bucket holds; a minute's worth by default. */
  readonly burst?: number;
  readonly keysMax?: number;
}

const bucketsMax = 100_000;
const waitSecondsMax = 3_600;
/** Times are sums of fractions. */
const roundingMs = 1e-3;

/** Buckets in a group. A key has one group in which its bucket may be. */
const groupSize = 8;

/**
 * One token bucket per key (a person, an address). Of each only the time is kept at which it will be full again: a full bucket needs no
 * place. Where there are too many, the one that will be full first is forgotten, so a sender who keeps spending never is.
 *
 * In typed arrays, under hashes of keys: almost every write is the first one of its person for a while, and a `Map` with an object per
 * person took as long as everything else that is checked.
 */
export class TokenBuckets {
  readonly #burst: number;
  readonly #msPerToken: number;
  readonly #slotsMax: number;
  readonly #now: () => number;
  readonly #origin: number;
  /** Nobody can choose keys that share a bucket with somebody else's. */
  readonly #seed = randomInt(2 ** 32);
  /** Of the key, two numbers each; of free slots, zeros. */
  #hashes = new Uint32Array(2 * groupSize);
  /** When each bucket is full. */
  #fullAt = new Float64Array(groupSize);
  #time = 0;
  /** By how much the clock was set back in all. */
  #setBackMs = 0;
  /** The hash of the key that was looked for last. */
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

  /** So many buckets can be kept without forgetting any. */
  get size(): number {
    return this.#fullAt.length;
  }

  /** 0 when `cost` tokens were taken; else after how many whole seconds they will be there. */
  take(key: string, cost = 1, now = this.#now()): number {
    const time = this.#timeAt(now);
    if (this.#msPerToken === Number.POSITIVE_INFINITY) return waitSecondsMax;
    // What costs more than a full bucket takes all of it: it could never be granted otherwise.
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

  /** Gives back what was taken for something that came to nothing. */
  refund(key: string, cost = 1): void {
    const slot = this.#find(key);
    if (slot >= 0) this.#fullAt[slot] -= cost * this.#msPerToken;
  }

  /** A clock that was set back must not take tokens away: for the buckets it stands still. */
  #timeAt(now: number): number {
    const time = now - this.#origin + this.#setBackMs;
    if (time < this.#time) this.#setBackMs += this.#time - time;
    else this.#time = time;
    return this.#time;
  }

  /** The slot of the key; -1 when its bucket is full. */
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

  /** For the key that was looked for last. */
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

  /** Of the group that begins here. */
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
