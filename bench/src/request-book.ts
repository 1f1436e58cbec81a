const bytesAtFirst = 1 << 20;
const requestsAtFirst = 1 << 12;

/** Requests written into one buffer before a slice, so that sending them only costs the write. */
export class RequestBook {
  #bytes = Buffer.allocUnsafeSlow(bytesAtFirst);
  #ends = new Float64Array(requestsAtFirst);
  #count = 0;
  #taken = 0;

  get count(): number {
    return this.#count;
  }

  get left(): number {
    return this.#count - this.#taken;
  }

  clear(): void {
    this.#count = 0;
    this.#taken = 0;
  }

  /** Starts again at the first request, for servers that do not treat a repeated request as a retry. */
  rewind(): void {
    this.#taken = 0;
  }

  addText(text: string): void {
    const start = this.reserve(text.length);
    this.#bytes.write(text, start, text.length, "latin1");
  }

  /** Reserves this many bytes for a request and returns where it starts in `bytes`. */
  reserve(length: number): number {
    const start = this.#startOf(this.#count);
    if (start + length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, start + length));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    if (this.#count === this.#ends.length) {
      const larger = new Float64Array(2 * this.#ends.length);
      larger.set(this.#ends);
      this.#ends = larger;
    }
    this.#ends[this.#count++] = start + length;
    return start;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** The number of the next unsent request; at least one must be left. */
  take(count = 1): number {
    const first = this.#taken;
    this.#taken += count;
    return first;
  }

  bytesOf(first: number, count = 1): Buffer {
    return this.#bytes.subarray(this.#startOf(first), this.#ends[first + count - 1]);
  }

  #startOf(request: number): number {
    return request === 0 ? 0 : this.#ends[request - 1];
  }
}
