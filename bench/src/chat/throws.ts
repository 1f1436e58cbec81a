import { messageIdOf, messageRequest, type Talker } from "./talkers.ts";
import type { Talk } from "./talking.ts";

const hands = ["rock", "paper", "scissors"] as const;

/**
 * Pairs of people who keep throwing at each other at the same moment. A pair throws again once both throws are
 * answered: a throw that overtakes the opponent's previous one would be refused. With as many pairs as connections,
 * one pair can always throw.
 */
export class Throws implements Talk {
  /** The whole answer to each throw. */
  readonly answers = new Map<number, string>();
  readonly #talkers: readonly Talker[];
  /** Completed rounds per pair. */
  readonly #rounds: number[];
  /** Pairs with one answered throw. */
  readonly #halfAnswered = new Set<number>();
  /** Pairs that may throw; the longest rested is first. */
  readonly #resting: number[];
  /** The pair in which one has thrown and the other throws next. */
  #halfThrown: number | undefined;

  /** Two consecutive talkers form a pair. */
  constructor(talkers: readonly Talker[]) {
    this.#talkers = talkers;
    this.#rounds = Array.from({ length: talkers.length / 2 }, () => 0);
    this.#resting = [...this.#rounds.keys()];
  }

  get acknowledged(): number {
    return this.answers.size;
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

  /** The same bytes for the same number, so that a repeated delivery is the same message. */
  bytesOf(request: number): string {
    const talkers = this.#talkers;
    const talker = request % talkers.length;
    const round = Math.floor(request / talkers.length);
    // The second player changes hands after the first has played all three, so every combination occurs.
    const step = talker % 2 === 0 ? round : Math.floor(round / hands.length);
    const hand = hands[step % hands.length];
    const opponent = talkers[talker ^ 1];
    return messageRequest(talkers[talker], throwIdOf(request), `throw ${hand} @${opponent.nickname}`);
  }

  answered(request: number, bytes: Buffer, bodyStart: number, bodyEnd: number): void {
    this.answers.set(request, bytes.toString("utf8", bodyStart, bodyEnd));
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
