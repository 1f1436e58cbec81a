import type { Talk } from "./talking.ts";
import type { Throws } from "./throws.ts";

/** Sends answered throws again, like a channel that missed the answer. */
export class Repeats implements Talk {
  readonly left = Number.POSITIVE_INFINITY;
  readonly #throws: Throws;
  #answeredBefore: readonly number[] = [];
  acknowledged = 0;
  /** Answers that differ from the first one. */
  changed = 0;

  constructor(throws: Throws) {
    this.#throws = throws;
  }

  prepare(): void {
    this.#answeredBefore = [...this.#throws.answers.keys()];
  }

  take(): number {
    return this.#answeredBefore[Math.floor(Math.random() * this.#answeredBefore.length)];
  }

  bytesOf(request: number): string {
    return this.#throws.bytesOf(request);
  }

  answered(request: number, bytes: Buffer, bodyStart: number, bodyEnd: number): void {
    this.acknowledged++;
    if (bytes.toString("utf8", bodyStart, bodyEnd) !== this.#throws.answers.get(request)) this.changed++;
  }
}
