import type { Millis } from "@openseat/kernel";
import { PresenceBitmap } from "./presence-bitmap.ts";

/**
 * Of whom there was a sign of life in one span of time: a bit each, by ticket. It is in pages that come with the first
 * of their tickets to be heard of: with one array from the first ticket on, a room would pay for all who ever left it.
 * At worst it does, with a bit each, when signs of life of all of them come.
 */
export class PresenceWindow {
  /** The newest ticket when the span began. Whoever came later was heard of by coming. */
  readonly #newest: number;
  readonly #pages = new PresenceBitmap();
  readonly beganAt: Millis;

  constructor(newest: number, beganAt: Millis) {
    this.#newest = newest;
    this.beganAt = beganAt;
  }

  hear(ticket: number): void {
    if (ticket <= this.#newest) this.#pages.add(ticket);
  }

  has(ticket: number): boolean {
    return ticket > this.#newest || this.#pages.has(ticket);
  }

  /** Bytes allocated for bits. */
  get bytes(): number {
    return this.#pages.bytes;
  }
}
