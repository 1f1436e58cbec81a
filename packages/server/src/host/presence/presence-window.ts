import type { Millis } from "@openseat/kernel";
import { PresenceBitmap } from "./presence-bitmap.ts";

/** The tickets that sent a heartbeat in one span of time. */
export class PresenceWindow {
  /** The newest ticket when the span began. Later tickets count as present because they have just come. */
  readonly #newest: number;
  readonly #pages = new PresenceBitmap();
  readonly beganAt: Millis;

  constructor(newest: number, beganAt: Millis) {
    this.#newest = newest;
    this.beganAt = beganAt;
  }

  add(ticket: number): void {
    if (ticket <= this.#newest) this.#pages.add(ticket);
  }

  has(ticket: number): boolean {
    return ticket > this.#newest || this.#pages.has(ticket);
  }

  get bytes(): number {
    return this.#pages.bytes;
  }
}
