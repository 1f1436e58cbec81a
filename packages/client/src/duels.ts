import type { Duel, DuelList, Hand, NewDuel, NewThrow } from "@openseat/protocol";
import type { Asking } from "./asking.ts";

/** Rock, paper, scissors duels by nickname. */
export class DuelsHandle {
  readonly #asking: Asking;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** Opens a duel, or throws in the one that is open. It counts on a ladder if both name the same one. */
  challenge(opponent: string, given: Omit<NewDuel, "opponent"> = {}): Promise<Duel> {
    return this.#duel("", { opponent, ...given });
  }

  /** Throws. The throw is secret until the opponent has thrown too. */
  throw(id: string, hand: Hand, given: Omit<NewThrow, "throw"> = {}): Promise<Duel> {
    return this.#duel(`/${encodeURIComponent(id)}/throw`, { throw: hand, ...given });
  }

  /** Withdraws a challenge, or declines one. */
  drop(id: string): Promise<Duel> {
    return this.#duel(`/${encodeURIComponent(id)}/drop`);
  }

  /** Lists open duels and the latest finished ones, newest first. */
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
