// Values below 128 µs are exact; above, each doubling has 64 buckets, so values are accurate to 1.6 %.
const bucketsPerDoubling = 64;
const valueMaxUs = 2 ** 31 - 1;
const bucketCount = bucketIndex(valueMaxUs) + 1;

function bucketIndex(valueUs: number): number {
  const shift = Math.max(0, 25 - Math.clz32(valueUs));
  return shift * bucketsPerDoubling + (valueUs >> shift);
}

function bucketMiddleUs(index: number): number {
  if (index < 2 * bucketsPerDoubling) return index;
  const shift = Math.floor(index / bucketsPerDoubling) - 1;
  const lowest = (index - shift * bucketsPerDoubling) * 2 ** shift;
  return lowest + (2 ** shift - 1) / 2;
}

/** Counts latencies in microseconds without allocating during a slice. */
export class LatencyHistogram {
  readonly #counts = new Uint32Array(bucketCount);
  #total = 0;

  /** Restores a histogram from `counts`, perhaps of another process. */
  static of(counts: readonly number[]): LatencyHistogram {
    const histogram = new LatencyHistogram();
    histogram.#counts.set(counts);
    for (const count of counts) histogram.#total += count;
    return histogram;
  }

  /** The number of values per bucket. */
  get counts(): ArrayLike<number> & Iterable<number> {
    return this.#counts;
  }

  get total(): number {
    return this.#total;
  }

  record(valueUs: number): void {
    this.#counts[bucketIndex(valueUs > valueMaxUs ? valueMaxUs : valueUs | 0)]++;
    this.#total++;
  }

  add(other: LatencyHistogram): void {
    for (let index = 0; index < bucketCount; index++) this.#counts[index] += other.#counts[index];
    this.#total += other.#total;
  }

  /** The smallest recorded value that at least `share` of all values do not exceed, in microseconds. */
  percentileUs(share: number): number {
    const rank = Math.max(1, Math.ceil(share * this.#total));
    let seen = 0;
    for (let index = 0; index < bucketCount; index++) {
      seen += this.#counts[index];
      if (seen >= rank) return bucketMiddleUs(index);
    }
    return 0;
  }
}
