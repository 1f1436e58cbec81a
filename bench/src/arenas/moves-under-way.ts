import { LoadError } from "../load.ts";

/** More moves than players can be ahead of watchers, because a move is sent to everyone at once. */
const movesMax = 64;

/** The moves of an arena that not everyone has seen yet. */
export class MovesUnderWay {
  readonly #viewers: number;
  /** A ring buffer by version: the version, when its move was sent, and how many people must still see it. */
  readonly #versions = new Float64Array(movesMax);
  readonly #sentAt = new Float64Array(movesMax);
  readonly #unseen = new Uint8Array(movesMax);

  constructor(viewers: number) {
    this.#viewers = viewers;
  }

  /** A sent move will create this version. */
  send(version: number, at: number): void {
    const slot = version % movesMax;
    if (this.#unseen[slot] > 0) throw new LoadError("A person did not receive a move that others have seen.");
    this.#versions[slot] = version;
    this.#sentAt[slot] = at;
    this.#unseen[slot] = this.#viewers;
  }

  /** A viewer sees the version. Returns the send time if they are the last one, otherwise undefined. */
  see(version: number): number | undefined {
    const slot = version % movesMax;
    if (this.#versions[slot] !== version || this.#unseen[slot] === 0) return undefined;
    return --this.#unseen[slot] === 0 ? this.#sentAt[slot] : undefined;
  }
}
