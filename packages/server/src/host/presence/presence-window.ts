import type { Millis } from "@openseat/kernel";
import { PresenceBitmap } from "./presence-bitmap.ts";

/** The tickets that sent a heartbeat in one span. */
export class PresenceWindow {
  /** The newest ticket at the start of the span. Later tickets count as present because they have just joined. */
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
