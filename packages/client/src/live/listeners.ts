/** A set of listeners. An error in one is reported and does not affect the others. */
export class Listeners<Heard extends readonly unknown[]> {
  readonly #all = new Set<{ readonly hear: (...heard: Heard) => void }>();
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  add(hear: (...heard: Heard) => void): () => void {
    const entry = { hear };
    this.#all.add(entry);
    return () => void this.#all.delete(entry);
  }

  tell(...heard: Heard): void {
    for (const { hear } of [...this.#all]) {
      try {
        hear(...heard);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}
