import { grown } from "../collections/columns.ts";

/** At least this many of the latest ends are kept, at most twice as many. */
const endsKeptMax = 65_536;

/**
 * The versions of the entries that ended matches, so that a replay finds the end of a match without reading the
 * entries in between.
 */
export class MatchEnds {
  #versions: Uint32Array;
  #count: number;

  /** `versions` is the result of `save`. */
  constructor(versions: Uint32Array = new Uint32Array()) {
    this.#versions = versions;
    this.#count = versions.length;
  }

  save(): Uint32Array {
    return this.#versions.slice(0, this.#count);
  }

  add(version: number): void {
    if (this.#count === 2 * endsKeptMax) {
      this.#versions = this.#versions.slice(endsKeptMax);
      this.#count = endsKeptMax;
    }
    this.#versions = grown(this.#versions, this.#count + 1);
    this.#versions[this.#count++] = version;
  }

  /**
   * The first end after this version, which is the end of the match that began with it. Undefined for matches that are
   * too old.
   */
  after(version: number): number | undefined {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#versions[middle] <= version) low = middle + 1;
      else high = middle;
    }
    return low < this.#count ? this.#versions[low] : undefined;
  }
}
