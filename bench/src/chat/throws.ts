import { messageIdOf, messageRequest, type Talker } from "./talkers.ts";
import type { Talk } from "./talking.ts";

const hands = ["rock", "paper", "scissors"] as const;

/**
 * People in pairs who throw at each other, both in the same moment, again and again. A pair throws anew once both are
 * answered: a second throw of one that overtook the other's first would be no throw, but a refusal. With as many pairs
 * as connections there is always one that may throw.
 */
export class Throws implements Talk {
  /** What was answered to each throw: the whole body. */
  readonly told = new Map<number, string>();
  readonly #talkers: readonly Talker[];
  /** For each pair, how often both have thrown and were answered. */
  readonly #rounds: number[];
  /** Pairs of which one is answered, and the other is not. */
  readonly #halfAnswered = new Set<number>();
  /** Pairs that may throw, the one that has rested longest first. */
  readonly #resting: number[];
  /** The pair of which one has thrown, and the other throws next. */
  #halfThrown: number | undefined;

  /** Two and two are a pair. */
  constructor(talkers: readonly Talker[]) {
    this.#talkers = talkers;
    this.#rounds = Array.from({ length: talkers.length / 2 }, () => 0);
    this.#resting = [...this.#rounds.keys()];
  }

  get acknowledged(): number {
    return this.told.size;
  }

  get left(): number {
    return this.#resting.length + (this.#halfThrown === undefined ? 0 : 1);
  }

  take(): number {
    const isSecond = this.#halfThrown !== undefined;
    const pair = this.#halfThrown ?? this.#resting.shift()!;
    this.#halfThrown = isSecond ? undefined : pair;
    return this.#rounds[pair] * this.#talkers.length + 2 * pair + (isSecond ? 1 : 0);
  }

  /** The same for a number each time: delivered again, it is the same message. */
  bytesOf(request: number): string {
    const talkers = this.#talkers;
    const talker = request % talkers.length;
    const round = Math.floor(request / talkers.length);
    // Whoever is second goes on to the next hand when the other has been through all: so all that can meet do.
    const turn = talker % 2 === 0 ? round : Math.floor(round / hands.length);
    const hand = hands[turn % hands.length];
    const opponent = talkers[talker ^ 1];
    return messageRequest(talkers[talker], throwIdOf(request), `throw ${hand} @${opponent.nickname}`);
  }

  answered(request: number, bytes: Buffer, bodyStart: number, bodyEnd: number): void {
    this.told.set(request, bytes.toString("utf8", bodyStart, bodyEnd));
    const pair = Math.floor((request % this.#talkers.length) / 2);
    if (!this.#halfAnswered.delete(pair)) {
      this.#halfAnswered.add(pair);
      return;
    }
    this.#rounds[pair]++;
    this.#resting.push(pair);
  }
}

export function throwIdOf(request: number): string {
  return messageIdOf("throw", request);
}
