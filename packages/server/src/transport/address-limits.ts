/** Addresses that are told apart; past it a window starts anew, which errs on the side of letting people in. */
const addressesMax = 100_000;
const windowMs = 60_000;

/** At most so many of something a minute from one address. */
export class PerMinute {
  readonly #max: number;
  readonly #now: () => number;
  #counts = new Map<string, number>();
  #startedAt = 0;

  constructor(max: number, now: () => number) {
    this.#max = max;
    this.#now = now;
  }

  /** Counts one; false when it is one too many. */
  take(address: string): boolean {
    const now = this.#now();
    if (Math.abs(now - this.#startedAt) >= windowMs || this.#counts.size >= addressesMax) {
      this.#counts = new Map();
      this.#startedAt = now;
    }
    const count = (this.#counts.get(address) ?? 0) + 1;
    if (count > this.#max) return false;
    this.#counts.set(address, count);
    return true;
  }
}

/** At most so many of something at the same time, in all and from one address. */
export class AtOnce {
  readonly #max: number;
  readonly #perAddressMax: number;
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(max: number, perAddressMax: number) {
    this.#max = max;
    this.#perAddressMax = perAddressMax;
  }

  get total(): number {
    return this.#total;
  }

  /** Takes one, to be given back with `release`; which limit stands in the way otherwise. */
  take(address: string): "taken" | "address" | "all" {
    const count = this.#counts.get(address) ?? 0;
    if (this.#total >= this.#max) return "all";
    if (count >= this.#perAddressMax) return "address";
    this.#counts.set(address, count + 1);
    this.#total++;
    return "taken";
  }

  release(address: string): void {
    const count = this.#counts.get(address) ?? 0;
    if (count > 1) this.#counts.set(address, count - 1);
    else this.#counts.delete(address);
    this.#total--;
  }
}
