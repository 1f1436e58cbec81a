/** Random numbers that are the same for the same seed, so that a match can be replayed (MT1, MT4). */
export class Chance {
  #state: number;

  /** The seed is a whole number from 0 to 4,294,967,295. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A uniform whole number from 0 to `bound - 1`, for bounds up to 65,536. */
  below(bound: number): number {
    // Draw the top numbers again: otherwise the first few results would be slightly more likely.
    const limit = 0x1_0000_0000 - (0x1_0000_0000 % bound);
    let drawn = this.#next();
    while (drawn >= limit) drawn = this.#next();
    return drawn % bound;
  }

  /** SplitMix32: a counter, well mixed. */
  #next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }
}

/** The seed of a match, derived from its arena's seed. It differs for each match and is the same in every replay. */
export function seedOf(arena: number, match: number): number {
  return new Chance((arena ^ Math.imul(match, 0x85ebca6b)) >>> 0).below(65_536) * 65_536 + (match % 65_536);
}
