/** Chance that is the same again for the same seed: a match is played once and replayed often (MT1, MT4). */
export class Chance {
  #state: number;

  /** The seed is a whole number from 0 to 4,294,967,295. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to one less than `bound`, each as likely as the others, for bounds up to 65,536. */
  below(bound: number): number {
    // Rounded down, a number at the very top would favour the first few: those are drawn again.
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

/** The seed of a match, from that of its arena: another for each, and the same for all who replay it. */
export function seedOf(arena: number, match: number): number {
  return new Chance((arena ^ Math.imul(match, 0x85ebca6b)) >>> 0).below(65_536) * 65_536 + (match % 65_536);
}
