import { LoadError } from "../load.ts";

/** More than players can be ahead of those who watch: all are told in one go. */
const movesMax = 64;

/** The moves of one arena that not everyone has seen yet. */
export class MovesUnderWay {
  readonly #viewers: number;
  /** By version, which counts round: the version that stands there, when it was asked for, and who has still to see it. */
  readonly #versions = new Float64Array(movesMax);
  readonly #sentAt = new Float64Array(movesMax);
  readonly #unseen = new Uint8Array(movesMax);

  constructor(viewers: number) {
    this.#viewers = viewers;
  }

  /** A move has been sent that will make this version. */
  send(version: number, at: number): void {
    const slot = version % movesMax;
    if (this.#unseen[slot] > 0) throw new LoadError("Somebody is not shown what the others see.");
    this.#versions[slot] = version;
    this.#sentAt[slot] = at;
    this.#unseen[slot] = this.#viewers;
  }

  /** One of the viewers sees it; gives the time it was sent when they are the last, undefined otherwise. */
  see(version: number): number | undefined {
    const slot = version % movesMax;
    if (this.#versions[slot] !== version || this.#unseen[slot] === 0) return undefined;
    return --this.#unseen[slot] === 0 ? this.#sentAt[slot] : undefined;
  }
}
