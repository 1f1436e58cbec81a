/** Spans that are looked after; past it the oldest are given up, and what comes there waits for the next start. */
const spansMax = 1_000;

interface Gap {
  after: number;
  readonly upTo: number;
  readonly since: number;
}

/**
 * Numbers that were passed over. Where several nodes write, one may take a number before another and write it after: then
 * it comes when later ones have been seen.
 */
export class Gaps {
  #gaps: Gap[] = [];
  readonly #waitMs: number;

  /** A number that has not come by then never will: whoever had taken it did not write. */
  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** Those that may still come, the lowest first. */
  at(elapsed: number): readonly { readonly after: number; readonly upTo: number }[] {
    this.#gaps = this.#gaps.filter(({ since }) => elapsed - since < this.#waitMs);
    return this.#gaps;
  }

  /** Of these numbers, in order, all but those that were found have been passed over. */
  pass(after: number, found: readonly number[], elapsed: number): void {
    let last = after;
    for (const number of found) {
      if (number > last + 1) this.#gaps.push({ after: last, upTo: number - 1, since: elapsed });
      last = number;
    }
    this.#gaps.splice(0, this.#gaps.length - spansMax);
  }

  /** One of them has come after all. */
  fill(number: number): void {
    this.#gaps = this.#gaps.flatMap((gap) => {
      if (number <= gap.after || number > gap.upTo) return [gap];
      const parts = [
        { ...gap, upTo: number - 1 },
        { ...gap, after: number },
      ];
      return parts.filter(({ after, upTo }) => upTo > after);
    });
  }
}
