/** Those who want to hear of something. One that throws is reported, and the others hear of it all the same. */
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
