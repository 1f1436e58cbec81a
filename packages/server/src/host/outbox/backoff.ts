const retryMsMin = 1_000;
const retryMsMax = 60_000;

export class Backoff {
  #nextMs = retryMsMin;

  next(): number {
    const ms = this.#nextMs;
    this.#nextMs = Math.min(2 * ms, retryMsMax);
    return ms;
  }

  reset(): void {
    this.#nextMs = retryMsMin;
  }
}
