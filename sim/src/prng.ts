/**
 * The only source of randomness in a simulated world: sfc32, seeded through splitmix32. One seed always gives the
 * same history.
 */
export class Random {
  readonly #state: Uint32Array;

  constructor(seed: number) {
    let mixed = seed >>> 0;
    this.#state = Uint32Array.from({ length: 4 }, () => {
      mixed = (mixed + 0x9e3779b9) >>> 0;
      let z = mixed;
      z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
      z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
      return z ^ (z >>> 15);
    });
    for (let warmUp = 0; warmUp < 12; warmUp++) this.next();
  }

  /** From 0 to just under 1. */
  next(): number {
    const [a, b, c, counter] = this.#state;
    const sum = (a + b + counter) >>> 0;
    this.#state[0] = b ^ (b >>> 9);
    this.#state[1] = c + (c << 3);
    this.#state[2] = ((c << 21) | (c >>> 11)) + sum;
    this.#state[3] = counter + 1;
    return sum / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.between(0, items.length - 1)];
  }
}
