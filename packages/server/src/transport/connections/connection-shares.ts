export interface ShareTerms {
  readonly connectionsMax: number;
  readonly perAddressMax: number;
}

/** An address with fewer connections may use the reserve. */
const fewMax = 16;

/** LM9: who may have another connection, so that no address takes all of them. */
export class ConnectionShares {
  readonly #perAddressMax: number;
  readonly #unreserved: number;
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor({ connectionsMax, perAddressMax }: ShareTerms) {
    this.#perAddressMax = perAddressMax;
    this.#unreserved = connectionsMax - Math.floor(connectionsMax / 10);
  }

  get total(): number {
    return this.#total;
  }

  /** How many addresses have any. */
  get addresses(): number {
    return this.#counts.size;
  }

  /** Whether there is one for this address, to be given back with `release`. No address: one that has no share. */
  take(address: string | undefined): boolean {
    if (address !== undefined) {
      const count = this.#counts.get(address) ?? 0;
      if (count >= this.#perAddressMax) return false;
      if (this.#total >= this.#unreserved && count >= fewMax) return false;
      this.#counts.set(address, count + 1);
    }
    this.#total++;
    return true;
  }

  release(address: string | undefined): void {
    this.#total--;
    if (address === undefined) return;
    const count = this.#counts.get(address) ?? 0;
    if (count > 1) this.#counts.set(address, count - 1);
    else this.#counts.delete(address);
  }
}
