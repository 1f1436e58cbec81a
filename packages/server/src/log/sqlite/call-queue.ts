import { FairFifo } from "../../scheduling/fair-fifo.ts";

/**
 * Sends the log's thread a few calls at a time. Methods are served round-robin, so that a thousand lists do not delay loading a
 * room.
 */
export class CallQueue<Call extends { readonly id: number; readonly method: string }> {
  readonly #atOnceMax: number;
  readonly #send: (call: Call) => void;
  readonly #isWanted: (call: Call) => boolean;
  readonly #underWay = new Set<number>();
  readonly #waiting = new FairFifo<Call>();

  /** Calls that are no longer wanted when they come up are not sent. */
  constructor(atOnceMax: number, send: (call: Call) => void, isWanted: (call: Call) => boolean = () => true) {
    this.#atOnceMax = atOnceMax;
    this.#send = send;
    this.#isWanted = isWanted;
  }

  push(call: Call): void {
    this.#waiting.push(call.method, call);
    this.#sendNext();
  }

  /** Ignores answers to calls of other queues. */
  answered(id: number): void {
    if (this.#underWay.delete(id)) this.#sendNext();
  }

  #sendNext(): void {
    while (this.#underWay.size < this.#atOnceMax) {
      const call = this.#waiting.shift();
      if (!call) return;
      if (!this.#isWanted(call)) continue;
      this.#underWay.add(call.id);
      this.#send(call);
    }
  }
}
