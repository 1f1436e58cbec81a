import { messageIdOf, messageRequest, type Talker } from "./talkers.ts";
import type { Talk } from "./talking.ts";

const scoreMax = 5;

/** Match reports by chat: each comes from one of two random players, under its own id. */
export class MatchMessages implements Talk {
  readonly left = Number.POSITIVE_INFINITY;
  readonly #talkers: readonly Talker[];
  #taken = 0;
  acknowledged = 0;

  constructor(talkers: readonly Talker[]) {
    this.#talkers = talkers;
  }

  take(): number {
    return ++this.#taken;
  }

  bytesOf(request: number): string {
    const talkers = this.#talkers;
    const own = below(talkers.length);
    const opponent = talkers[(own + 1 + below(talkers.length - 1)) % talkers.length];
    const text = `match @${opponent.nickname} ${below(scoreMax)}-${below(scoreMax)}`;
    return messageRequest(talkers[own], messageIdOf("match", request), text);
  }

  answered(): void {
    this.acknowledged++;
  }
}

function below(count: number): number {
  return Math.floor(Math.random() * count);
}
