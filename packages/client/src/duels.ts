import type { Duel, DuelList, Hand, NewDuel, NewThrow } from "@openseat/protocol";
import type { Requests } from "./requests.ts";

/** One rock, paper, scissors duel. */
export class DuelHandle {
  readonly id: string;
  readonly #requests: Requests;

  constructor(id: string, requests: Requests) {
    this.id = id;
    this.#requests = requests;
  }

  async get(): Promise<Duel> {
    return (await this.#requests.readAsPerson<{ duel: Duel }>(this.#path())).duel;
  }

  /** Throws. The throw is secret until the opponent has thrown too. */
  async throw(hand: Hand, given: Omit<NewThrow, "throw"> = {}): Promise<Duel> {
    const body = { throw: hand, ...given };
    return (await this.#requests.write<{ duel: Duel }>(this.#path("/throw"), body)).duel;
  }

  /** Withdraws the challenge, or declines it. */
  async drop(): Promise<Duel> {
    return (await this.#requests.write<{ duel: Duel }>(this.#path("/drop"))).duel;
  }

  #path(rest = ""): string {
    return `/api/v1/duels/${encodeURIComponent(this.id)}${rest}`;
  }
}

/** Rock, paper, scissors duels by nickname. */
export class Duels {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Lists this person's open duels and the latest finished ones, newest first. */
  list(): Promise<DuelList> {
    return this.#requests.readAsPerson("/api/v1/duels");
  }

  /** Opens a duel, or throws in the one that is open. It counts on a ladder if both name the same one. */
  async challenge(opponent: string, given: Omit<NewDuel, "opponent"> = {}): Promise<Duel> {
    return (await this.#requests.write<{ duel: Duel }>("/api/v1/duels", { opponent, ...given })).duel;
  }
}
