/** A map that forgets its oldest entries, so that it cannot grow without end. */
export class Recent<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#max) {
      const [oldest] = this.#entries.keys();
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, value);
  }

  clear(): void {
    this.#entries.clear();
  }
}
