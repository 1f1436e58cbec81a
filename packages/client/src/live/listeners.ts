/** A set of listeners. An error in one is reported and does not affect the others. */
export class Listeners<Arguments extends readonly unknown[]> {
  readonly #all = new Set<{ readonly listener: (...values: Arguments) => void }>();
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  add(listener: (...values: Arguments) => void): () => void {
    const entry = { listener };
    this.#all.add(entry);
    return () => void this.#all.delete(entry);
  }

  notify(...values: Arguments): void {
    for (const { listener } of [...this.#all]) {
      try {
        listener(...values);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}
