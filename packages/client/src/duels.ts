import type { Duel, DuelList, Hand, NewDuel, NewThrow } from "@openseat/protocol";
import type { Requests } from "./requests.ts";

/** Rock, paper, scissors duels by nickname. */
export class DuelsHandle {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
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
    return this.#requests.readAsPerson("/api/v1/duels");
  }

  async get(id: string): Promise<Duel> {
    const path = `/api/v1/duels/${encodeURIComponent(id)}`;
    return (await this.#requests.readAsPerson<{ duel: Duel }>(path)).duel;
  }

  async #duel(rest: string, body?: unknown): Promise<Duel> {
    return (await this.#requests.write<{ duel: Duel }>(`/api/v1/duels${rest}`, body)).duel;
  }
}
