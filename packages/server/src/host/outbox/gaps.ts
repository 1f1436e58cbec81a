import type { Span } from "../../log/log.ts";

/** Beyond this many spans, the oldest are dropped. Messages in them wait for the next start. */
const spansMax = 1_000;

/** Skipped outbox numbers. A node may take a number and commit it after other nodes have committed later numbers. */
export class Gaps {
  #gaps: (Span & { readonly since: number })[] = [];
  readonly #waitMs: number;

  /** A number that does not appear within `waitMs` never will, because its transaction failed. */
  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  at(elapsed: number): readonly Span[] {
    this.#gaps = this.#gaps.filter(({ since }) => elapsed - since < this.#waitMs);
    return this.#gaps;
  }

  /** Records the numbers between `after` and the last of `found` that were not found. */
  pass(after: number, found: readonly number[], elapsed: number): void {
    let last = after;
    for (const number of found) {
      if (number > last + 1) this.#gaps.push({ after: last, upTo: number - 1, since: elapsed });
      last = number;
    }
    this.#gaps.splice(0, this.#gaps.length - spansMax);
  }

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
