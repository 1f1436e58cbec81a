import type { Duel, DuelList, Hand, NewDuel, NewThrow } from "@openseat/protocol";
import type { Asking } from "./asking.ts";

/** Rock, paper, scissors with somebody whose nickname one knows. */
export class DuelsHandle {
  readonly #asking: Asking;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** Opens a duel; with a throw, answers the one that there is. It counts on a ladder if both name the same. */
  challenge(opponent: string, given: Omit<NewDuel, "opponent"> = {}): Promise<Duel> {
    return this.#duel("", { opponent, ...given });
  }

  /** Secret until the other has thrown too. */
  throw(id: string, hand: Hand, given: Omit<NewThrow, "throw"> = {}): Promise<Duel> {
    return this.#duel(`/${encodeURIComponent(id)}/throw`, { throw: hand, ...given });
  }

  /** Withdraws a challenge, or declines one. */
  drop(id: string): Promise<Duel> {
    return this.#duel(`/${encodeURIComponent(id)}/drop`);
  }

  /** Those that are open, and the latest that are over, the newest first. */
  list(): Promise<DuelList> {
    return this.#asking.lookAsSomebody("/api/v1/duels");
  }

  async get(id: string): Promise<Duel> {
    const path = `/api/v1/duels/${encodeURIComponent(id)}`;
    return (await this.#asking.lookAsSomebody<{ duel: Duel }>(path)).duel;
  }

  async #duel(rest: string, body?: unknown): Promise<Duel> {
    return (await this.#asking.change<{ duel: Duel }>(`/api/v1/duels${rest}`, body)).duel;
  }
}
