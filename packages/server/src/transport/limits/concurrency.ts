export interface ConcurrencyTerms {
  readonly max: number;
  readonly perAddressMax: number;
  /** How many of `max` are reserved for addresses that hold few; 0 by default. */
  readonly reserved?: number;
}

/** An address that holds fewer than this may use the reserve. */
const fewMax = 16;

export class ConcurrencyLimit {
  readonly #terms: ConcurrencyTerms;
  readonly #counts = new Map<string, number>();
  total = 0;

  constructor(terms: ConcurrencyTerms) {
    this.#terms = terms;
  }

  /**
   * Takes a place, to be returned with `release`, or says which limit was reached. Without an address, only the total limit
   * applies.
   */
  take(address: string | undefined): "taken" | "address" | "all" {
    const { max, perAddressMax, reserved = 0 } = this.#terms;
    if (this.total >= max) return "all";
    if (address !== undefined) {
      const count = this.#counts.get(address) ?? 0;
      if (count >= perAddressMax) return "address";
      if (this.total >= max - reserved && count >= fewMax) return "all";
      this.#counts.set(address, count + 1);
    }
    this.total++;
    return "taken";
  }

  release(address: string | undefined): void {
    this.total--;
    if (address === undefined) return;
    const count = this.#counts.get(address) ?? 0;
    if (count > 1) this.#counts.set(address, count - 1);
    else this.#counts.delete(address);
  }
}
