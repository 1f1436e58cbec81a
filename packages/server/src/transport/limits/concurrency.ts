/** A limit on what goes on at the same time, in total and per address. */
export class ConcurrencyLimit {
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

  /** Takes one, to be given back with `release`; otherwise says which limit was reached. */
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
