export interface ConcurrencyTerms {
  readonly max: number;
  readonly perAddressMax: number;
  /** The last of `max`, kept for addresses that have few; none by default. */
  readonly reserved?: number;
}

/** An address with fewer than this may use the reserve. */
const fewMax = 16;

/** A limit on what goes on at the same time, in total and per address. */
export class ConcurrencyLimit {
  readonly #max: number;
  readonly #perAddressMax: number;
  readonly #unreserved: number;
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor({ max, perAddressMax, reserved = 0 }: ConcurrencyTerms) {
    this.#max = max;
    this.#perAddressMax = perAddressMax;
    this.#unreserved = max - reserved;
  }

  get total(): number {
    return this.#total;
  }

  /** Takes one, to be given back with `release`; otherwise says which limit was reached. Without an address, no share applies. */
  take(address: string | undefined): "taken" | "address" | "all" {
    if (this.#total >= this.#max) return "all";
    if (address !== undefined) {
      const count = this.#counts.get(address) ?? 0;
      if (count >= this.#perAddressMax) return "address";
      if (this.#total >= this.#unreserved && count >= fewMax) return "all";
      this.#counts.set(address, count + 1);
    }
    this.#total++;
    return "taken";
  }

  release(address: string | undefined): void {
    this.#total--;
    if (address === undefined) return;
    const count = this.#counts.get(address) ?? 0;
    if (count > 1) this.#counts.set(address, count - 1);
    else this.#counts.delete(address);
  }
}
